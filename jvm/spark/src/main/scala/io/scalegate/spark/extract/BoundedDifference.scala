package io.scalegate.spark.extract

import scala.math.BigDecimal.RoundingMode

import org.apache.spark.sql.catalyst.expressions.Expression

import io.scalegate.join.{Band, FloatingBand, IntegralBand}

/** `right − left ∈ [lower, upper]` for every pair that a join's condition lets through: an attribute to
  * slide a window along, or a band.
  *
  * @param left
  *   over the left input; its type and `right`'s share a number line
  * @param exact
  *   whether the conjuncts this came from say nothing more, so that they need not be evaluated again
  */
final case class BoundedDifference(
    left: Expression,
    right: Expression,
    lower: BigDecimal,
    upper: BigDecimal,
    termType: TermType,
    exact: Boolean
) {
  def isEmpty: Boolean = lower > upper

  /** The core's form of it. Not to be asked for when [[isEmpty]]. */
  lazy val band: Band =
    if (termType.family == "floating")
      FloatingBand(termType.attribute, Math.nextDown(lower.toDouble), Math.nextUp(upper.toDouble))
    else
      IntegralBand(
        termType.attribute,
        saturate(units(lower).setScale(0, RoundingMode.CEILING)),
        saturate(units(upper).setScale(0, RoundingMode.FLOOR))
      )

  /** `left` in the type that the core stores it in, and NULL where it cannot be evaluated. */
  def storedLeft: Expression = termType.stored(Attempt.of(left))

  def storedRight: Expression = termType.stored(Attempt.of(right))

  /** Whether Spark, which evaluates the condition on fewer rows, may give an error where this is evaluated. */
  def mayThrow: Boolean = MayThrow(left) || MayThrow(right)

  def describe: String = s"${right.sql} - ${left.sql} in [$lower, $upper]"

  private[this] def units(d: BigDecimal): BigDecimal =
    BigDecimal(d.bigDecimal.movePointRight(termType.scale))

  private[this] def saturate(d: BigDecimal): Long =
    if (d < Long.MinValue) Long.MinValue else if (d > Long.MaxValue) Long.MaxValue else d.toLong
}
