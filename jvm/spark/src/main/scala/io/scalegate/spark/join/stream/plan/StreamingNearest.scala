package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.expressions.{Alias, And, Attribute, ExprId, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Distinct,
  EventTimeWatermark,
  LogicalPlan
}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.scalegate.stream.RealTimeMode
import org.apache.spark.sql.streaming.OutputMode

import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.lookup.{Direction, NearestIndex}
import io.scalegate.spark.checkpoint.{JoinTerms, NearestTerms, OlderJoinTerms}
import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.asof.{AsOfJoin, ExtractAsOfJoin, PushThroughAsOfJoin}
import io.scalegate.spark.join.plan.SimplifiedJoin
import io.scalegate.spark.join.stream.StreamJoin
import io.scalegate.spark.join.stream.perkey.{AnswerReach, NearestPerKey}
import io.scalegate.spark.join.stream.state.EventTimeWindow
import io.scalegate.spark.settings.Errors
import io.scalegate.stream.Sides

/** What the planner knows of an as-of join of two streams. Made when a query starts and when a batch is planned; one
  * thread.
  */
final private[plan] class StreamingNearest(val join: AsOfJoin) extends PredicateHelper {
  import join.terms

  private[this] val (equalities, others) = join.equalities
  private[this] val (within, unread) = join.reach
  private[this] val residual = unread ++ others

  /** Whether a right row in reach may be passed over for what else it is. */
  private[this] def isChosen = residual.exists { e =>
    e.references.exists(join.right.outputSet.contains)
  }

  /** How far the right rows may be, in microseconds; None backward where there is no tolerance. */
  private[this] val reach: Option[IntegralBand] = within.collect { case b: IntegralBand => b }

  /** @throws java.lang.IllegalArgumentException
    *   if it cannot be run, with what to write
    */
  def refuse(): this.type = {
    val times = Seq("left" -> terms.leftTime, "right" -> terms.rightTime)
    times.foreach { case (side, time) =>
      val isEventTime = time match {
        case a: Attribute => PlannedPairs.isEventTime(a)
        case _ => false
      }
      if (!isEventTime) throw Errors.asOfStreamTime(side, time.sql)
    }
    if (reach.isEmpty && terms.direction != Direction.Backward)
      throw Errors.asOfStreamTolerance(terms.direction.name)
    if (reach.isEmpty && isChosen)
      throw Errors.asOfStreamCondition(residual.map(_.sql).mkString(" AND "))
    (equalities.left ++ equalities.right)
      .find(key => !UnsafeRowUtils.isBinaryStable(key.dataType))
      .foreach(key => throw Errors.asOfStreamKey(key.sql))
    this
  }

  /** What it gives is given once. */
  def refuseMode(mode: OutputMode): Unit = {
    if (mode == OutputMode.Complete())
      throw Errors.streamMode(s"as-of ${join.joinType.sql} join", "complete")
    if (mode == OutputMode.Update() && join.children.exists(StreamingJoins.givesAgain))
      throw Errors.streamUpdatedInput
  }

  /** The time of right rows, where one that is given may be of any age. */
  def unboundedTime: Option[ExprId] = terms.rightTime match {
    case time: Attribute if reach.isEmpty => Some(time.exprId)
    case _ => None
  }

  private[this] def times =
    Sides(terms.leftTime.asInstanceOf[Attribute], terms.rightTime.asInstanceOf[Attribute])

  private[this] def isKeyed = equalities.left.nonEmpty

  private[this] def nearestReach = AnswerReach(
    reach.map(band => math.max(0L, EventTimeWindow.minus(0L, band.lower))),
    reach.fold(0L)(band => math.max(0L, band.upper)),
    if (isChosen || terms.direction == Direction.Forward) Int.MaxValue else terms.most
  )

  /** @param planned
    *   an input's own plan
    */
  def pairs(planned: LogicalPlan => SparkPlan): PlannedPairs = {
    val keys = Sides(equalities.left, equalities.right)
    val where = if (isKeyed) "" else ", in one task, for there is no key"
    val by = NearestIndex.By(
      terms.direction,
      keyed = true,
      AttributeType.Int64,
      terms.exact,
      within
    )
    val inputs = Sides(join.left, join.right).zip(times).map {
      case (input, time) => planned(PlannedPairs.oneEventTime(input, time))
    }
    val streamJoin = StreamJoin(
      Probing.from(join.joinType).get.copy(most = terms.most),
      keys.zip(times).map { case (k, time) => Seq(PlannedPairs.keyedTime(time, k)) },
      times,
      Vector(IntegralBand(AttributeType.Int64, Long.MinValue, Long.MaxValue)),
      EventTimeWindow.Unbounded,
      residual.reduceOption(And.apply),
      cells = None,
      splitting = None,
      perKey = Some(NearestPerKey(keys, by, terms.ties, nearestReach)),
      operator = None,
      inTurn = true,
      partitions = if (isKeyed) None else Some(1),
      threads = 1,
      checkpointed,
      join.describe(s"index over each key's right rows in reach, in order$where")
    )
    PlannedPairs.of(RealTimeMode.isIn(join), streamJoin, keys, inputs)
  }

  private[this] def checkpointed: JoinTerms = {
    val keys = equalities.left.zip(equalities.right)
    JoinTerms(
      keys,
      terms.tolerance ++ others,
      (times.left, times.right),
      rows = None,
      perKey = false,
      Some(NearestTerms(terms.direction.name, terms.exact, terms.most, terms.ties)),
      aggregated = None,
      where = None,
      cells = Nil,
      OlderJoinTerms(keys, Nil, None, None, None, "", false)
    )
  }
}

private[plan] object StreamingNearest {

  /** An as-of join of two streams, as the optimizer leaves it, or none. */
  def unapply(plan: LogicalPlan): Option[StreamingNearest] = plan match {
    case ExtractAsOfJoin.Asked(join) if join.left.isStreaming && join.right.isStreaming =>
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
