package io.scalegate.spark.rules

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan

/** Removes each [[TwoStepsExec]] before a plan is executed, so that generated code spans the nodes above and below. One
  * of the [[LastRules]].
  */
object DropTwoSteps extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp { case TwoStepsExec(child) =>
    child
  }
}
