package io.scalegate.spark.rules

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan

/** Takes a [[TwoStepsExec]] out of what is executed, and generated code goes through. */
object DropTwoSteps extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp { case TwoStepsExec(child) =>
    child
  }
}
