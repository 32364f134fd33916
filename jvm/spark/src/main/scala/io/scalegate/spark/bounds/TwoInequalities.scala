package io.scalegate.spark.bounds

import org.apache.spark.sql.catalyst.expressions.{
  AttributeSet,
  Expression,
  GreaterThan,
  GreaterThanOrEqual,
  LessThan,
  LessThanOrEqual
}

import io.scalegate.band.AttributeType
import io.scalegate.lookup.Inequalities
import io.scalegate.stream.Sides

/** A comparison between a left and a right row that holds in every pair that a join's condition lets through. The
  * condition itself decides what is left open, such as whether the two may be equal.
  *
  * @param leftAtMost
  *   whether `left` is at most `right`; at least, if not
  * @param termType
  *   in which both are compared
  */
final case class Inequality(
    left: Expression,
    right: Expression,
    leftAtMost: Boolean,
    termType: TermType
) {

  /** NULL where it cannot be evaluated. */
  private[bounds] def stored(e: Expression): Expression = termType.stored(Attempt.ifNeeded(e))

  private[bounds] def describe: String =
    s"${left.sql} ${if (leftAtMost) "<=" else ">="} ${right.sql}"
}

/** Two comparisons, neither of which bounds a difference: an interval of the left row and one of the right row that
  * overlap, each of which starts at or before the other's end, or two of any kind. A point lies in an interval as one that
  * starts and ends there.
  */
final case class TwoInequalities(first: Inequality, second: Inequality) {
  def left: Seq[Expression] = each.map(c => c.stored(c.left))
  def right: Seq[Expression] = each.map(c => c.stored(c.right))

  /** Where the interval of a row of each side starts and where it ends, if they are those of two intervals. */
  def intervals: Option[Sides[Seq[Expression]]] =
    Option.when(isOverlap)(Sides(left, right.reverse))

  /** How the attributes of both sides compare. */
  def compared: Inequalities = Inequalities((first.leftAtMost, second.leftAtMost))

  def types: IndexedSeq[AttributeType] = each.map(_.termType.attribute).toVector

  /** Whether Spark, which evaluates the condition on fewer rows, may give an error where this is evaluated. */
  def mayThrow: Boolean = each.flatMap(c => Seq(c.left, c.right)).exists(MayThrow(_))

  def describe: String = {
    def interval(start: Expression, end: Expression) =
      if (start.semanticEquals(end)) start.sql else s"[${start.sql}, ${end.sql}]"
    if (isOverlap)
      s"${interval(first.left, second.left)} overlaps ${interval(second.right, first.right)}"
    else s"${first.describe}, ${second.describe}"
  }

  private[this] def each = Seq(first, second)

  /** Whether they are those of two intervals on one line. */
  private[bounds] def isOverlap: Boolean =
    first.leftAtMost && !second.leftAtMost && first.termType == second.termType
}

object TwoInequalities {

  /** Of several pairs of comparisons the intervals that overlap, if there are any, and those about time.
    *
    * @param any
    *   whether other comparisons count than those of intervals
    */
  def in(
      conjuncts: Seq[Expression],
      left: AttributeSet,
      right: AttributeSet,
      any: Boolean
  ): Option[TwoInequalities] = {
    val all = conjuncts.flatMap(inequality(_, left, right))
    val overlaps = for {
      (starts, ends) <- Seq(all.partition(_.leftAtMost))
      first <- starts
      second <- ends
      t <- TermType.common(Seq(first, second).flatMap(c => Seq(c.left, c.right)).map(_.dataType))
    } yield TwoInequalities(first.copy(termType = t), second.copy(termType = t))
    def others = all.combinations(2).collect { case Seq(first, second) =>
      TwoInequalities(first, second)
    }.toSeq
    earliest(overlaps).orElse(if (any) earliest(others) else None)
  }

  private[this] def earliest(found: Seq[TwoInequalities]): Option[TwoInequalities] =
    found.minByOption(f => Seq(f.first, f.second).map(c => TermType.sweepRank(c.termType)).min)

  private[this] def inequality(
      conjunct: Expression,
      left: AttributeSet,
      right: AttributeSet
  ): Option[Inequality] = {
    def over(e: Expression, side: AttributeSet) =
      e.references.nonEmpty && e.references.subsetOf(side)
    for {
      (least, most) <- comparison(conjunct)
      t <- TermType.common(Seq(least, most).map(_.dataType))
      found <-
        if (over(least, left) && over(most, right)) Some(Inequality(least, most, true, t))
        else if (over(least, right) && over(most, left)) Some(Inequality(most, least, false, t))
        else None
    } yield found
  }

  /** The smaller and the larger side. */
  private[this] def comparison(conjunct: Expression): Option[(Expression, Expression)] =
    conjunct match {
      case LessThanOrEqual(a, b) => Some(a -> b)
      case LessThan(a, b) => Some(a -> b)
      case GreaterThanOrEqual(a, b) => Some(b -> a)
      case GreaterThan(a, b) => Some(b -> a)
      case _ => None
    }
}
