package io.scalegate.spark.rules

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.exchange.{Exchange, ShuffleExchangeExec}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.scalegate.{RealTimeMode, RowExchangeExec}

import io.scalegate.spark.exchange.ExchangeReader
import io.scalegate.spark.settings.ScaleGateConf

/** Puts a [[RowExchangeExec]] in the place of each exchange whose rows an operator of this package reads
  * ([[ExchangeReader]]). Spark's stay
  *
  *   - in Real-Time Mode, where rows are pushed on one by one;
  *   - where another operator of the query reads the same rows by the same keys, since Spark runs such an exchange once;
  *   - under another shuffle manager than Spark's, which may rely on how Spark lays out its rows.
  *
  * Adaptive execution runs the rule whenever it has planned; other plans meet it among the [[LastRules]].
  */
object RowExchanges extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan =
    if (!ScaleGateConf.exchanges(conf)) plan
    else {
      val read = readBy(plan, ours = false)
      if (read.isEmpty || !isSparks || RealTimeMode.isIn(plan)) plan
      else replaced(plan, read)
    }

  private[this] def replaced(plan: SparkPlan, read: Seq[ShuffleExchangeExec]): SparkPlan = {
    def isRead(exchange: ShuffleExchangeExec) = read.exists(_ eq exchange)
    val others = plan.collect { case e: ShuffleExchangeExec if !isRead(e) => e }
    plan.transformDown {
      case e: ShuffleExchangeExec if isRead(e) && !others.exists(_.sameResult(e)) =>
        val exchange = RowExchangeExec(
          e.outputPartitioning,
          e.child,
          e.shuffleOrigin,
          e.advisoryPartitionSize
        )
        exchange.copyTagsFrom(e)
        exchange
    }
  }

  /** @param ours
    *   whether an operator of this package reads the rows of the node
    */
  private[this] def readBy(node: SparkPlan, ours: Boolean): Seq[ShuffleExchangeExec] =
    node match {
      case e: ShuffleExchangeExec => Option.when(ours)(e) ++: readBy(e.child, ours = false)
      case r: ExchangeReader => r.children.flatMap(readBy(_, ours = true))
      case e: Exchange => e.children.flatMap(readBy(_, ours = false))
      case u: UnaryExecNode => readBy(u.child, ours)
      case n => n.children.flatMap(readBy(_, ours = false))
    }

  private[this] def isSparks =
    SparksManagers(SparkEnv.get.conf.get("spark.shuffle.manager", "sort").toLowerCase)

  private[this] val SparksManagers =
    Set("sort", "tungsten-sort", "org.apache.spark.shuffle.sort.sortshufflemanager")
}
