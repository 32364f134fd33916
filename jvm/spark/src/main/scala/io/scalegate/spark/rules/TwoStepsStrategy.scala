package io.scalegate.spark.rules

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

/** Plans a [[TwoSteps]]. */
object TwoStepsStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case TwoSteps(operator) => Seq(TwoStepsExec(planLater(operator)))
    case _ => Nil
  }
}
