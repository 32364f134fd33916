package io.scalegate.spark.join.stream.plan

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.{Alias, And, Attribute, ExprId, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Distinct,
  EventTimeWatermark,
  LogicalPlan
}

import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.lookup.{Direction, NearestIndex}
import io.scalegate.spark.checkpoint.{JoinTerms, NearestTerms, OlderJoinTerms}
import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.asof.{AsOfJoin, ExtractAsOfJoin, PushThroughAsOfJoin}
import io.scalegate.spark.join.plan.SimplifiedJoin
import io.scalegate.spark.join.stream.StreamJoin
import io.scalegate.spark.join.stream.perkey.{AnswerReach, NearestPerKey}
import io.scalegate.spark.join.stream.state.EventTimeWindow
import io.scalegate.spark.plan.BothStreaming
import io.scalegate.spark.settings.Errors
import io.scalegate.stream.{SaturatingMath, Sides}

/** What the planner knows of an as-of join of two streams. */
final private[plan] class StreamingNearest(val asOf: AsOfJoin)
    extends AnsweredStreams(asOf, s"as-of ${asOf.joinType.sql.toLowerCase(Locale.ROOT)} join") {
  import asOf.terms

  private[this] val (equalities, others) = asOf.equalities
  private[this] val (within, unread) = asOf.reach
  private[this] val residual = unread ++ others

  override protected def keys: Sides[Seq[Expression]] = Sides(equalities.left, equalities.right)

  override protected def compared: Sides[Expression] = Sides(terms.leftTime, terms.rightTime)

  /** Whether a right row in reach may be passed over for what else it is. */
  private[this] def isChosen = residual.exists { e =>
    e.references.exists(asOf.right.outputSet.contains)
  }

  /** How far the right rows may be, in microseconds; None backward where there is no tolerance. */
  private[this] val reach: Option[IntegralBand] = within.collect { case b: IntegralBand => b }

  override def refuse(): this.type = {
    refuseTimes()
    if (reach.isEmpty && terms.direction != Direction.Backward)
      throw Errors.asOfStreamTolerance(terms.direction.name)
    if (reach.isEmpty && isChosen)
      throw Errors.asOfStreamCondition(residual.map(_.sql).mkString(" AND "))
    refuseKeys()
    this
  }

  /** The time of right rows, where one that is given may be of any age. */
  def unboundedTime: Option[ExprId] = terms.rightTime match {
    case time: Attribute if reach.isEmpty => Some(time.exprId)
    case _ => None
  }

  private[this] def nearestReach = AnswerReach(
    reach.map(band => math.max(0L, SaturatingMath.subtract(0L, band.lower))),
    reach.fold(0L)(band => math.max(0L, band.upper)),
    if (isChosen || terms.direction == Direction.Forward) Int.MaxValue else terms.most
  )

  override protected def join: StreamJoin = {
    val by = NearestIndex.By(
      terms.direction,
      keyed = true,
      AttributeType.Int64,
      terms.exact,
      within
    )
    PlannedPairs.joinByKeys(
      Probing.from(asOf.joinType).get.copy(most = terms.most),
      keys,
      times,
      EventTimeWindow.Unbounded,
      residual.reduceOption(And.apply),
      NearestPerKey(keys, by, terms.ties, nearestReach),
      checkpointed,
      asOf.describe(s"index over each key's right rows in reach, in order$where")
    )
  }

  private[this] def checkpointed: JoinTerms = {
    val same = keys.left.zip(keys.right)
    JoinTerms(
      same,
      terms.tolerance ++ others,
      times.toSeq,
      rows = None,
      perKey = false,
      Some(NearestTerms(terms.direction.name, terms.exact, terms.most, terms.ties)),
      aggregated = None,
      where = None,
      cells = Nil,
      OlderJoinTerms(same, Nil, None, None, None, "", false)
    )
  }
}

private[plan] object StreamingNearest {

  /** An as-of join of two streams, as the optimizer leaves it, or none. */
  def unapply(plan: LogicalPlan): Option[StreamingNearest] = plan match {
    case ExtractAsOfJoin.Asked(BothStreaming(join)) =>
      PushThroughAsOfJoin(ExtractAsOfJoin.node(SimplifiedJoin(join))).collectFirst {
        case a: AsOfJoin => new StreamingNearest(a)
      }
    case _ => None
  }

  /** What waits for a watermark above a join goes by the left rows' times, unless a tolerance says how old the right ones
    * may be.
    *
    * @param waiting
    *   an operator that waits
    */
  def refuseAbove(waiting: LogicalPlan, query: LogicalPlan): Unit =
    for {
      c <- waiting.children.flatMap(_.collect { case c: CheckedStreamingJoin => c })
      time <- c.nearest.flatMap(_.unboundedTime)
    } {
      val derived = derivedFrom(time, query)
      val read = waiting match {
        case _: Aggregate | _: Distinct => waiting.references.toSeq
        case ours if HideStreamingJoins.isOurs(ours) => waiting.references.toSeq
        case other => other.children.flatMap(_.output)
      }
      read.find { a =>
        derived.contains(a.exprId) && a.metadata.contains(EventTimeWatermark.delayKey)
      }.foreach(a => throw Errors.asOfStreamAbove(a.sql, waiting.nodeName))
    }

  /** The column and those that are made of it. */
  private[this] def derivedFrom(time: ExprId, query: LogicalPlan): Set[ExprId] = {
    val made = query.flatMap(_.expressions.collect { case alias: Alias => alias })
    def more(known: Set[ExprId]): Set[ExprId] = {
      val next = known ++ made.filter(_.references.exists(a => known(a.exprId))).map(_.exprId)
      if (next.size == known.size) known else more(next)
    }
    more(Set(time))
  }
}
