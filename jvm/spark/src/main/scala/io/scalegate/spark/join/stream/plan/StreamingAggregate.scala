package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical.Join

import io.scalegate.spark.checkpoint.{AggregatedTerms, JoinTerms, OlderJoinTerms}
import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.aggregate.{
  IntervalAggregate,
  IntervalAggregateCandidate,
  IntervalPart
}
import io.scalegate.spark.join.stream.StreamJoin
import io.scalegate.spark.join.stream.perkey.AggregatesPerKey
import io.scalegate.spark.join.stream.state.EventTimeWindow
import io.scalegate.spark.settings.Errors
import io.scalegate.stream.Sides

/** What the planner knows of aggregates of the rows of one stream around each row of another.
  *
  * @param conditions
  *   the aggregate's joins, as the optimizer leaves them
  */
final private[plan] class StreamingAggregate(aggregate: IntervalAggregate, conditions: Seq[Join])
    extends AnsweredStreams(aggregate, "aggregation of the rows around each row")
    with PredicateHelper {
  private[this] val candidates = conditions.map(new IntervalAggregateCandidate(_))
  private[this] def candidate = candidates.head

  override protected def keys: Sides[Seq[Expression]] = candidate.keys.sides

  override protected def compared: Sides[Expression] =
    Sides(candidate.base.sweep.left, candidate.base.sweep.right)

  override def refuse(): this.type = {
    if (!IntervalAggregateCandidate.goTogether(candidates))
      throw Errors.intervalAggregateCondition(sqlOf(aggregate.parts))
    refuseTimes()
    val (endless, _) = aggregate.parts.zip(candidates).partition { case (_, c) => isEndless(c) }
    if (endless.nonEmpty) throw Errors.intervalAggregateStreamEnds(sqlOf(endless.map(_._1)))
    refuseKeys()
    this
  }

  private[this] def sqlOf(parts: Seq[IntervalPart]) =
    parts.map(_.condition.sql).mkString(", ")

  private[this] def isEndless(c: IntervalAggregateCandidate) =
    c.band.exists(band => band.lower == Long.MinValue || band.upper == Long.MaxValue)

  override protected def join: StreamJoin =
    PlannedPairs.joinByKeys(
      Probing.from(LeftOuter).get,
      keys,
      times,
      EventTimeWindow.Unbounded,
      condition = None,
      AggregatesPerKey(keys, aggregate.sliding(candidates)),
      checkpointed,
      aggregate.describe(candidates, s"sliding over each key's right rows$where")
    )

  private[this] def checkpointed: JoinTerms = {
    val same = keys.left.zip(keys.right)
    val terms = aggregate.parts.map(_.terms)
    JoinTerms(
      same,
      aggregate.parts.flatMap(p => splitConjunctivePredicates(p.condition)).distinct,
      times.toSeq,
      rows = None,
      perKey = false,
      nearest = None,
      Some(AggregatedTerms(
        terms.flatMap(t => t.functions ++ t.filters.flatten),
        aggregate.keepsLast
      )),
      where = None,
      cells = Nil,
      OlderJoinTerms(same, Nil, None, None, None, "", false)
    )
  }
}
