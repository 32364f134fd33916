package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, PredicateHelper, UnixDate}
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.types.LongType

import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.spark.bounds.{Attempt, MovedDates}
import io.scalegate.spark.join.JoinKeys
import io.scalegate.spark.join.plan.WindowJoinCandidate
import io.scalegate.spark.join.rowcount.WithinRows

/** What the planner knows of the pairs that an [[IntervalAggregate]] aggregates. Rules and strategies make one when they
  * ask, and keep none; one thread.
  */
final private[scalegate] class IntervalAggregateCandidate(join: Join) extends PredicateHelper {
  val base: WindowJoinCandidate = new WindowJoinCandidate(join)

  /** Whether equal keys and one interval say all of the condition: no pair is looked at then. */
  def isRunnable: Boolean = base.plannable && isOneInterval

  /** The same of inputs of which that was asked before, and which may be streams. */
  def isOneInterval: Boolean = base.differences match {
    case Seq(only) => !only.isEmpty && (isExact || dates.nonEmpty) && band.isDefined
    case _ => false
  }

  private[this] def isExact = base.residual.isEmpty && base.sweep.exact

  /** How dates are compared, if nothing is left of the condition but that. */
  private[this] lazy val dates: Option[MovedDates] = base.sweep.moved.filter { moved =>
    val rest = base.residual.toSeq.flatMap(splitConjunctivePredicates)
    rest.forall(moved.comparisons.contains)
  }

  /** The interval, if whole numbers are compared. */
  def band: Option[IntegralBand] = base.sweep.band match {
    case _ if dates.nonEmpty =>
      val days = base.sweep.range
      Some(IntegralBand(AttributeType.Int64, days.lower.toLong, days.upper.toLong))
    case integral: IntegralBand if !base.sweep.range.circular => Some(integral)
    case _ => None
  }

  /** The equality keys, in a form in which equal ones are sorted as one. */
  def keys: JoinKeys = JoinKeys(
    base.leftKeys.map(WithinRows.comparable),
    base.rightKeys.map(WithinRows.comparable)
  )

  def leftTime: Expression =
    dates.fold(base.sweep.storedLeft)(_.center(Attempt.ifNeeded(base.sweep.left)))

  def rightTime: Expression =
    if (dates.isEmpty) base.sweep.storedRight
    else Cast(UnixDate(Attempt.ifNeeded(base.sweep.right)), LongType)
}

private[scalegate] object IntervalAggregateCandidate {

  /** Whether each is one interval, and all are around the same times of rows with the same keys. */
  def goTogether(candidates: Seq[IntervalAggregateCandidate]): Boolean = {
    val first = candidates.head
    candidates.forall { c =>
      c.isOneInterval && c.keys.semanticEquals(first.keys) &&
      c.leftTime.semanticEquals(first.leftTime) && c.rightTime.semanticEquals(first.rightTime)
    }
  }

  /** The one whose interval holds those of all, if there is one. */
  def widest(
      candidates: Seq[IntervalAggregateCandidate]
  ): Option[IntervalAggregateCandidate] = {
    val bands = candidates.flatMap(_.band)
    candidates.find(_.band.exists { own =>
      bands.forall(b => own.lower <= b.lower && b.upper <= own.upper)
    })
  }
}
