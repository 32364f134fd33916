package io.scalegate.spark.bounds

import scala.math.BigDecimal.RoundingMode

import org.apache.spark.sql.catalyst.expressions.Expression

import io.scalegate.band.{AttributeType, Band, FloatingBand, IntegralBand}

/** `right − left ∈ [lower, upper]` for every pair that a join's condition lets through: an attribute to slide a window
  * along, or a band. Planning finds it; tasks store the sides and compare them by its [[band]].
  *
  * @param left
  *   over the left input; its type and `right`'s share a number line
  * @param exact
  *   whether the conjuncts this came from say nothing more, so that they need not be evaluated again
  * @param moved
  *   what they say where a left date wraps around, if that is all that they say
  */
final case class BoundedDifference(
    left: Expression,
    right: Expression,
    termType: TermType,
    range: DifferenceRange,
    exact: Boolean,
    moved: Option[MovedDates] = None
) {
  import range.{circular, lower, rounding, upper}

  def isEmpty: Boolean = lower > upper && rounding.isNone

  /** The core's form of it, between [[storedLeft]] and [[storedRight]]. Not to be asked for when [[isEmpty]]. */
  lazy val band: Band =
    if (circular) {
      val half = (upper - middle).max(BigDecimal(middle) - lower).toLong
      IntegralBand(AttributeType.Int32, -half, half)
    } else if (termType.family == "floating")
      FloatingBand(
        termType.attribute,
        Math.nextDown(lower.min(upper).toDouble),
        Math.nextUp(upper.max(lower).toDouble),
        rounding
      )
    else
      IntegralBand(
        termType.attribute,
        saturate(units(lower).setScale(0, RoundingMode.CEILING)),
        saturate(units(upper).setScale(0, RoundingMode.FLOOR))
      )

  /** Whether the core's bands can hold it. */
  private[scalegate] def isRepresentable: Boolean =
    if (isEmpty) true
    else if (circular) upper - lower < (1L << 31)
    else if (termType.family == "floating") isFinite && !overflowsNearby
    else termType.isNarrow || Seq(lower, upper).forall(d => fits(units(d)))

  private[this] def isFinite: Boolean =
    Seq(lower, upper).forall(_.abs <= BigDecimal(Double.MaxValue) / 2)

  /** Numbers that may overflow in a sum match others as far out as the sum reaches, which are not to be much more than
    * the band holds anyway.
    */
  private[this] def overflowsNearby: Boolean = rounding.mayOverflow && {
    val largest = if (termType.attribute.bits == 32) Float.MaxValue.toDouble else Double.MaxValue
    rounding.largest != largest || (upper - lower) * 8 < BigDecimal(rounding.reach)
  }

  /** `left` in the type that the core stores it in, and NULL where it cannot be evaluated. */
  def storedLeft: Expression = stored(left, middle)

  def storedRight: Expression = stored(right, 0)

  private[this] def stored(e: Expression, later: Int): Expression =
    if (circular) FoldedDays(Attempt.ifNeeded(e), later) else termType.stored(Attempt.ifNeeded(e))

  /** Whether Spark, which evaluates the condition on fewer rows, may give an error where this is evaluated. */
  def mayThrow: Boolean = MayThrow(left) || MayThrow(right)

  def describe: String = s"${right.sql} - ${left.sql} in [$lower, $upper]"

  /** What EXPLAIN shows: the bounds in people's units. */
  def shown: String =
    s"${right.sql} - ${left.sql} in [${BoundText(lower, termType)}, ${BoundText(upper, termType)}]"

  /** Days that a left date is moved by, so that what it matches lies as far before it as behind it. */
  private[this] def middle: Int =
    if (circular) ((lower + upper) / 2).setScale(0, RoundingMode.FLOOR).toLong.toInt else 0

  private[this] def units(d: BigDecimal): BigDecimal =
    BigDecimal(d.bigDecimal.movePointRight(termType.scale))

  private[this] def fits(d: BigDecimal): Boolean = d >= Long.MinValue && d <= Long.MaxValue

  private[this] def saturate(d: BigDecimal): Long =
    if (d < Long.MinValue) Long.MinValue else if (d > Long.MaxValue) Long.MaxValue else d.toLong
}
