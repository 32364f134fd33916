package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Deduplicate,
  DeduplicateWithinWatermark,
  Distinct,
  FlatMapGroupsWithState,
  Join,
  LogicalPlan,
  TransformWithState
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.spark.join.Probing
import io.scalegate.spark.settings.{Errors, ScaleGateConf}

/** Hides the joins of streams from Spark's check of a query that is about to start. The rule runs with the hint
  * resolution rules, which see the query before that check.
  */
object HideStreamingJoins extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case w: WriteToStreamStatement if ScaleGateConf.enabled(conf) =>
      val hidden = hide(w)
      if (!conf.getConf(SQLConf.STATEFUL_OPERATOR_ALLOW_MULTIPLE)) refuseChain(hidden.inputQuery)
      hidden
    case other => other
  }

  private[this] def hide(w: WriteToStreamStatement): WriteToStreamStatement =
    w.copy(inputQuery = w.inputQuery.transformUp {
      case j: Join if j.left.isStreaming && j.right.isStreaming && isDecided(j) =>
        StreamingJoins.candidate(StreamingJoins.simplified(j)).fold[LogicalPlan](j) { c =>
          c.refuseMode(w.outputMode)
          CheckedStreamingJoin(j.left, j.right, j.joinType, j.condition, j.hint)
        }
    })

  /** Where all operators go by one watermark, rows that one of them gives late are too late for the next. Spark refuses
    * that for the joins that it sees.
    */
  private[this] def refuseChain(query: LogicalPlan): Unit = {
    val operators = query.collect { case p if p.isStreaming && isTimed(p) => p }
    if (operators.size > 1 && operators.exists(_.isInstanceOf[CheckedStreamingJoin]))
      throw Errors.streamOneWatermark
  }

  private[this] def isTimed(plan: LogicalPlan): Boolean = plan match {
    case j: Join => j.left.isStreaming && j.right.isStreaming
    case _: CheckedStreamingJoin | _: Aggregate | _: Distinct | _: Deduplicate |
        _: DeduplicateWithinWatermark | _: FlatMapGroupsWithState | _: TransformWithState =>
      true
    case _ => false
  }

  /** The condition of others may stand in a filter above them still. */
  private[this] def isDecided(join: Join): Boolean =
    join.condition.nonEmpty && Probing.from(join.joinType).nonEmpty
}
