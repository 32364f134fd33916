package io.scalegate.spark.rules

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan, SparkStrategy}

/** Plans an [[EmptyStream]] as a local table without rows. */
object EmptyStreamStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case EmptyStream(output) => LocalTableScanExec(output, Nil, None) :: Nil
    case _ => Nil
  }
}
