package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.physical.RoundRobinPartitioning
import org.apache.spark.sql.execution.exchange.{REPARTITION_BY_COL, ShuffleExchangeExec}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

/** Plans a [[ReadOnce]] as an exchange over a [[ReadOnceExec]]. */
object ReadOnceStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case once: ReadOnce =>
      val rows = ReadOnceExec(once.columns, once.id, once.why, planLater(once.child))
      val dealt = RoundRobinPartitioning(SQLConf.get.numShufflePartitions)
      ShuffleExchangeExec(dealt, rows, REPARTITION_BY_COL) :: Nil
    case _ => Nil
  }
}
