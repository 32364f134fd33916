package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.{TimestampNTZType, TimestampType}

import io.scalegate.join.IntegralBand
import io.scalegate.spark.Errors
import io.scalegate.spark.exec.Probing
import io.scalegate.spark.extract.{BoundedDifference, TermType}

/** @param left
  *   the event time of the left input, as `right` is that of the right one
  */
final private[plan] case class StreamTimes(
    left: Attribute,
    right: Attribute,
    bound: BoundedDifference
)

/** What the planner knows of a join of two streams.
  *
  * @param of
  *   the same join, as one of any inputs
  */
final private[plan] class StreamingJoinCandidate(val of: WindowJoinCandidate) {
  private[this] def join = of.join

  private[this] val leftTimes = eventTimes(join.left)
  private[this] val rightTimes = eventTimes(join.right)

  /** The event times of both sides and the bound between them, by which rows expire. An input that was joined before
    * has several: those that the condition bounds count.
    */
  val time: Option[StreamTimes] = (for {
    l <- leftTimes.iterator
    r <- rightTimes.iterator
    bound <- of.differences
      .find(d => d.left.semanticEquals(l) && d.right.semanticEquals(r))
      .orElse(timeAsKey(l, r))
  } yield StreamTimes(l, r, bound)).nextOption()

  /** Equal event times are a bound of width zero. */
  private[this] def timeAsKey(l: Attribute, r: Attribute): Option[BoundedDifference] =
    of.leftKeys.zip(of.rightKeys).collectFirst {
      case (x, y) if x.semanticEquals(l) && y.semanticEquals(r) =>
        BoundedDifference(x, y, 0, 0, TermType.of(l.dataType).get, exact = true)
    }

  private[this] def eventTimes(plan: LogicalPlan): Seq[Attribute] = plan.output.filter { a =>
    a.metadata.contains(EventTimeWatermark.delayKey) &&
    (a.dataType == TimestampType || a.dataType == TimestampNTZType)
  }

  private[this] def isKeyed = of.leftKeys.nonEmpty

  private[this] def isPlain = join.condition.forall { c =>
    c.deterministic && !c.exists(_.isInstanceOf[SubqueryExpression])
  }

  def isRunnable: Boolean =
    Probing.of(join.joinType).nonEmpty && time.exists(_.bound.band.isInstanceOf[IntegralBand]) &&
      isPlain && (!isKeyed || of.key.nonEmpty)

  /** Whether Spark runs it if this package does not. */
  def isSparks: Boolean = isKeyed && !of.isRequested

  /** A hint that names a way to run joins that streams do not have is an error. */
  def refuseAlgorithm(): Unit = of.requested.foreach { case (algorithm, _) =>
    if (algorithm != Algorithm.Index) throw Errors.streamAlgorithm(algorithm.name)
  }

  /** Why neither does. */
  def refusal: Exception = {
    val missing = Seq("left" -> leftTimes, "right" -> rightTimes).collect {
      case (side, times) if times.isEmpty => side
    }
    if (missing.nonEmpty) Errors.streamWithoutWatermark(missing)
    else if (time.isEmpty) Errors.streamWithoutBound(leftTimes.head.name, rightTimes.head.name)
    else if (!isPlain) Errors.streamCondition(join.condition.fold("")(_.sql))
    else Errors.hintJoinType(join.joinType.sql)
  }

  /** A row that is given for having no match is given for good. */
  def refuseMode(mode: OutputMode): Unit = {
    val probing = Probing.of(join.joinType).get
    val final_ = probing.unmatched || probing.unfound
    if (mode == OutputMode.Update() && final_)
      throw Errors.streamMode(join.joinType.sql, "update")
    if (mode == OutputMode.Complete())
      throw Errors.streamMode(join.joinType.sql, "complete")
  }
}
