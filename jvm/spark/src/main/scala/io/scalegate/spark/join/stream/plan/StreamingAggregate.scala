package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.scalegate.stream.RealTimeMode
import org.apache.spark.sql.streaming.OutputMode

import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.spark.checkpoint.{AggregatedTerms, JoinTerms, OlderJoinTerms}
import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.aggregate.{IntervalAggregate, IntervalAggregateCandidate}
import io.scalegate.spark.join.stream.StreamJoin
import io.scalegate.spark.join.stream.perkey.AggregatesPerKey
import io.scalegate.spark.join.stream.state.EventTimeWindow
import io.scalegate.spark.settings.Errors
import io.scalegate.stream.Sides

/** What the planner knows of aggregates of the rows of one stream around each row of another. Made when a query starts and
  * when a batch is planned; one thread.
  *
  * @param join
  *   the aggregate's, as the optimizer leaves it
  */
final private[plan] class StreamingAggregate(aggregate: IntervalAggregate, join: Join)
    extends PredicateHelper {
  private[this] val candidate = new IntervalAggregateCandidate(join)
  import candidate.base

  private[this] val keys = candidate.keys

  /** @throws java.lang.IllegalArgumentException
    *   if it cannot be run, with what to write
    */
  def refuse(): this.type = {
    if (!candidate.isOneInterval) throw Errors.intervalAggregateCondition(aggregate.condition.sql)
    times.zip(Sides("left", "right")).toSeq.foreach { case (time, side) =>
      val isEventTime = time match {
        case a: Attribute => PlannedPairs.isEventTime(a)
        case _ => false
      }
      if (!isEventTime) throw Errors.intervalAggregateStreamTime(side, time.sql)
    }
    if (band.lower == Long.MinValue || band.upper == Long.MaxValue)
      throw Errors.intervalAggregateStreamEnds(aggregate.condition.sql)
    (keys.left ++ keys.right)
      .find(key => !UnsafeRowUtils.isBinaryStable(key.dataType))
      .foreach(key => throw Errors.intervalAggregateStreamKey(key.sql))
    this
  }

  /** What it gives is given once. */
  def refuseMode(mode: OutputMode): this.type = {
    if (mode == OutputMode.Complete())
      throw Errors.streamMode("left join with aggregates", "complete")
    if (mode == OutputMode.Update() && aggregate.children.exists(StreamingJoins.givesAgain))
      throw Errors.streamUpdatedInput
    this
  }

  private[this] def times: Sides[Expression] = Sides(base.sweep.left, base.sweep.right)

  private[this] def band: IntegralBand = candidate.band.get

  /** @param planned
    *   an input's own plan
    */
  def pairs(planned: LogicalPlan => SparkPlan): PlannedPairs = {
    val columns = times.map(_.asInstanceOf[Attribute])
    val inputs = base.inputs.zip(columns).map {
      case (input, time) => planned(PlannedPairs.oneEventTime(input, time))
    }
    val isKeyed = keys.left.nonEmpty
    val streamJoin = StreamJoin(
      Probing.from(LeftOuter).get,
      keys.sides.zip(columns).map { case (k, time) => Seq(PlannedPairs.keyedTime(time, k)) },
      columns,
      Vector(IntegralBand(AttributeType.Int64, Long.MinValue, Long.MaxValue)),
      EventTimeWindow.Unbounded,
      residual = None,
      cells = None,
      splitting = None,
      perKey =
        Some(AggregatesPerKey(keys.sides, aggregate.terms, band, aggregate.keepsLast)),
      operator = None,
      inTurn = true,
      partitions = if (isKeyed) None else Some(1),
      threads = 1,
      checkpointed(columns),
      aggregate.describe(
        candidate,
        s"sliding over each key's right rows${if (isKeyed) ""
          else ", in one task, for there is no key"}"
      )
    )
    PlannedPairs.of(RealTimeMode.isIn(aggregate), streamJoin, keys.sides, inputs)
  }

  private[this] def checkpointed(times: Sides[Attribute]): JoinTerms = {
    val same = keys.left.zip(keys.right)
    JoinTerms(
      same,
      splitConjunctivePredicates(aggregate.condition),
      (times.left, times.right),
      rows = None,
      perKey = false,
      nearest = None,
      Some(AggregatedTerms(
        aggregate.terms.functions ++ aggregate.terms.filters.flatten,
        aggregate.keepsLast
      )),
      where = None,
      cells = Nil,
      OlderJoinTerms(same, Nil, None, None, None, "", false)
    )
  }
}
