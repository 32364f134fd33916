package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical.Join

import io.scalegate.band.IntegralBand
import io.scalegate.spark.checkpoint.{AggregatedTerms, JoinTerms, OlderJoinTerms}
import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.aggregate.{IntervalAggregate, IntervalAggregateCandidate}
import io.scalegate.spark.join.stream.StreamJoin
import io.scalegate.spark.join.stream.perkey.AggregatesPerKey
import io.scalegate.spark.join.stream.state.EventTimeWindow
import io.scalegate.spark.settings.Errors
import io.scalegate.stream.Sides

/** What the planner knows of aggregates of the rows of one stream around each row of another.
  *
  * @param conditions
  *   the aggregate's join, as the optimizer leaves it
  */
final private[plan] class StreamingAggregate(aggregate: IntervalAggregate, conditions: Join)
    extends AnsweredStreams(aggregate, "aggregation of the rows around each row")
    with PredicateHelper {
  private[this] val candidate = new IntervalAggregateCandidate(conditions)

  override protected def keys: Sides[Seq[Expression]] = candidate.keys.sides

  override protected def compared: Sides[Expression] =
    Sides(candidate.base.sweep.left, candidate.base.sweep.right)

  override def refuse(): this.type = {
    if (!candidate.isOneInterval) throw Errors.intervalAggregateCondition(aggregate.condition.sql)
    refuseTimes()
    if (band.lower == Long.MinValue || band.upper == Long.MaxValue)
      throw Errors.intervalAggregateStreamEnds(aggregate.condition.sql)
    refuseKeys()
    this
  }

  private[this] def band: IntegralBand = candidate.band.get

  override protected def join: StreamJoin =
    PlannedPairs.joinByKeys(
      Probing.from(LeftOuter).get,
      keys,
      times,
      EventTimeWindow.Unbounded,
      residual = None,
      AggregatesPerKey(keys, aggregate.terms, band, aggregate.keepsLast),
      checkpointed,
      aggregate.describe(candidate, s"sliding over each key's right rows$where")
    )

  private[this] def checkpointed: JoinTerms = {
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
