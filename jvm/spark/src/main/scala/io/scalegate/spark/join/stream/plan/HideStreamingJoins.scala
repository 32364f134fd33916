package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Deduplicate,
  DeduplicateWithinWatermark,
  Distinct,
  FlatMapGroupsInPandasWithState,
  FlatMapGroupsWithState,
  Join,
  LogicalPlan
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.scalegate.{RealTimeMode, SparkStreams}
import org.apache.spark.sql.streaming.{GroupStateTimeout, OutputMode, TimeMode}

import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.aggregate.IntervalAggregate
import io.scalegate.spark.join.asof.ExtractAsOfJoin
import io.scalegate.spark.join.cube.CubeJoin
import io.scalegate.spark.join.plan.SimplifiedJoin
import io.scalegate.spark.plan.BothStreaming
import io.scalegate.spark.settings.{Errors, ScaleGateConf}

/** Hides the joins of streams from Spark's check of a query that is about to start. The rule runs with the hint
  * resolution rules, which see the query before that check.
  */
object HideStreamingJoins extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case w: WriteToStreamStatement if ScaleGateConf.enabled(conf) =>
      val hidden = hide(w)
      RealTimeQueries.refuse(w, hidden.inputQuery, conf)
      refuseUnboundedAge(hidden.inputQuery, w.outputMode)
      refuseEncoding(hidden.inputQuery)
      hidden.inputQuery.foreach { p =>
        if (p.isStreaming && waits(p, w.outputMode))
          StreamingNearest.refuseAbove(p, hidden.inputQuery)
      }
      if (!conf.getConf(SQLConf.STATEFUL_OPERATOR_ALLOW_MULTIPLE)) refuseChain(hidden.inputQuery)
      hidden
    case other => other
  }

  private[this] def hide(w: WriteToStreamStatement): WriteToStreamStatement =
    w.copy(inputQuery =
      PythonOfStreams.withoutPython(StreamingCube.in(w.inputQuery)).transformUp {
        case cube: CubeJoin if cube.isStreaming =>
          new StreamingCube(SimplifiedJoin(cube)).refuse().refuseMode(w.outputMode)
          cube
        case a: IntervalAggregate if a.isOfStreams =>
          new StreamingAggregate(a, a.joins.map(SimplifiedJoin(_))).refuse()
            .refuseMode(w.outputMode)
          a
        case ExtractAsOfJoin.Asked(j) if j.right.isStreaming =>
          if (!j.left.isStreaming) throw Errors.asOfStream
          StreamingNearest.unapply(j).foreach(_.refuse().refuseMode(w.outputMode))
          CheckedStreamingJoin(j.left, j.right, j.joinType, j.condition, j.hint)
        case BothStreaming(j) if isDecided(j) =>
          StreamingJoins.candidate(SimplifiedJoin(j)).fold[LogicalPlan](j) { c =>
            c.refuseMode(w.outputMode, RealTimeMode.isAsked(w))
            CheckedStreamingJoin(j.left, j.right, j.joinType, j.condition, j.hint)
          }
      }
    )

  /** Spark refuses what writes no Avro of the operators that it sees. */
  private[this] def refuseEncoding(query: LogicalPlan): Unit = {
    val encoding = ScaleGateConf.stateEncoding(conf)
    if (encoding != ScaleGateConf.BinaryState && query.exists(isOurs))
      throw Errors.streamEncoding(encoding)
  }

  /** Where all operators go by one watermark, rows that one of them gives late are too late for the next. Spark refuses
    * that for the joins that it sees.
    */
  private[this] def refuseChain(query: LogicalPlan): Unit = {
    val operators = query.collect { case p if p.isStreaming && isTimed(p) => p }
    if (operators.size > 1 && operators.exists(isOurs))
      throw Errors.streamOneWatermark
  }

  /** Whether a node is a join of streams that runs here, or aggregates of two. */
  private[plan] def isOurs(plan: LogicalPlan): Boolean = plan match {
    case _: CheckedStreamingJoin => true
    case a: IntervalAggregate => a.isOfStreams
    case cube: CubeJoin => cube.isStreaming
    case _ => false
  }

  /** Whether a node of a streaming query keeps a state. */
  private[spark] def isTimed(plan: LogicalPlan): Boolean = plan match {
    case j: Join => BothStreaming(j.left, j.right)
    case ours if isOurs(ours) => true
    case _: Aggregate | _: Distinct | _: Deduplicate | _: DeduplicateWithinWatermark | _: FlatMapGroupsWithState |
        _: FlatMapGroupsInPandasWithState =>
      true
    case other => SparkStreams.timeMode(other).nonEmpty
  }

  /** No watermark is promised of the rows of a join over a window of rows or over intervals, for the earlier row of a pair
    * may be of any age. What gives rows only when a watermark has passed them would never give any above it.
    */
  private[this] def refuseUnboundedAge(query: LogicalPlan, mode: OutputMode): Unit =
    for {
      above <- query.find(p => p.isStreaming && waits(p, mode))
      below <- above.children.iterator.flatMap(_.collect { case c: CheckedStreamingJoin => c })
    } {
      below.rowWindow.foreach(w => throw Errors.streamRowsWatermark(w.sql, above.nodeName))
      if (below.isOfIntervals)
        throw Errors.streamIntervalsWatermark(below.condition.get.sql, above.nodeName)
    }

  private[this] def waits(plan: LogicalPlan, mode: OutputMode): Boolean = plan match {
    case ours if isOurs(ours) => true
    case _: Aggregate | _: Distinct => mode == OutputMode.Append()
    case f: FlatMapGroupsWithState => f.timeout == GroupStateTimeout.EventTimeTimeout()
    case f: FlatMapGroupsInPandasWithState => f.timeout == GroupStateTimeout.EventTimeTimeout()
    case other => SparkStreams.timeMode(other).contains(TimeMode.EventTime())
  }

  /** The condition of others may stand in a filter above them still. */
  private[plan] def isDecided(join: Join): Boolean =
    join.condition.nonEmpty && Probing.from(join.joinType).nonEmpty
}
