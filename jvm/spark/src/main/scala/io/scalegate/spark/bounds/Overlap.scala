package io.scalegate.spark.bounds

import org.apache.spark.sql.catalyst.expressions.{
  AttributeSet,
  Expression,
  GreaterThan,
  GreaterThanOrEqual,
  LessThan,
  LessThanOrEqual
}

/** An interval of the left row and one of the right row that overlap in every pair that a join's condition lets
  * through: each starts at or before the other's end. The bounds are columns, so that neither is a bounded
  * difference. A point lies in an interval as one that starts and ends there. The condition itself decides
  * what is left open, such as whether the ends are part of the intervals.
  */
final case class Overlap(
    leftStart: Expression,
    leftEnd: Expression,
    rightStart: Expression,
    rightEnd: Expression,
    termType: TermType
) {
  def left: Seq[Expression] = Seq(leftStart, leftEnd).map(stored)
  def right: Seq[Expression] = Seq(rightStart, rightEnd).map(stored)

  /** NULL where it cannot be evaluated. */
  private[this] def stored(e: Expression): Expression = termType.stored(Attempt.ifNeeded(e))

  /** Whether Spark, which evaluates the condition on fewer rows, may give an error where this is evaluated. */
  def mayThrow: Boolean = Seq(leftStart, leftEnd, rightStart, rightEnd).exists(MayThrow(_))

  def describe: String = {
    def interval(start: Expression, end: Expression) =
      if (start.semanticEquals(end)) start.sql else s"[${start.sql}, ${end.sql}]"
    s"${interval(leftStart, leftEnd)} overlaps ${interval(rightStart, rightEnd)}"
  }
}

object Overlap {

  /** Of several pairs of comparisons, one that is about time, if there is one. */
  def in(conjuncts: Seq[Expression], left: AttributeSet, right: AttributeSet): Option[Overlap] = {
    def over(e: Expression, side: AttributeSet) =
      e.references.nonEmpty && e.references.subsetOf(side)
    val compared = conjuncts.flatMap(comparison)
    val startsLeft = compared.filter { case (a, b) => over(a, left) && over(b, right) }
    val startsRight = compared.filter { case (a, b) => over(a, right) && over(b, left) }
    val found = for {
      (leftStart, rightEnd) <- startsLeft
      (rightStart, leftEnd) <- startsRight
      t <- TermType.common(Seq(leftStart, rightEnd, rightStart, leftEnd).map(_.dataType))
    } yield Overlap(leftStart, leftEnd, rightStart, rightEnd, t)
    found.minByOption(o => TermType.sweepRank(o.termType))
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
