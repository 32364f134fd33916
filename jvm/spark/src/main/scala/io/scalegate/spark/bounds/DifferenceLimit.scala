package io.scalegate.spark.bounds

import org.apache.spark.sql.catalyst.expressions.Expression

/** `right − left` is at least `lower`, or at most `upper`, in every pair that a join's condition lets through; the other
  * is None.
  *
  * @param left
  *   over the left input; its type and `right`'s share a number line
  */
final case class DifferenceLimit(
    left: Expression,
    right: Expression,
    termType: TermType,
    lower: Option[BigDecimal],
    upper: Option[BigDecimal]
) {

  /** `left` in the type that the core stores it in, and NULL where it cannot be evaluated. */
  def storedLeft: Expression = termType.stored(Attempt.ifNeeded(left))

  def storedRight: Expression = termType.stored(Attempt.ifNeeded(right))

  /** Whether the evaluation of a side may end in an error. */
  def mayThrow: Boolean = MayThrow(left) || MayThrow(right)
}
