package org.apache.spark.sql.scalegate

import org.apache.spark.rdd.DeterministicLevel
import org.apache.spark.sql.execution.SparkPlan

/** What Spark knows of the stages that it would run. */
object StageAccess {

  /** Whether a lost partition of the plan's rows means that all of them are computed again. */
  def isMadeAgainAsAWhole(plan: SparkPlan): Boolean =
    plan.execute().outputDeterministicLevel == DeterministicLevel.INDETERMINATE
}
