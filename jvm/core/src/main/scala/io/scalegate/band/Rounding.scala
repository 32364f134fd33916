package io.scalegate.band

/** By how much a bounded difference of floating-point numbers may be off in the user's own expressions, which round
  * each sum: up to `relative · (|r| + |s|) + absolute` for attributes `r` and `s`, unless a sum overflows.
  *
  * @param relative
  *   of which a band takes [[Rounding.MostRelative]] at most
  * @param reach
  *   how far from its attribute a sum may lie; none overflows while that many more than the attribute is finite
  * @param largest
  *   the largest finite number of the narrowest type that a sum is rounded to
  */
final case class Rounding(relative: Double, absolute: Double, reach: Double, largest: Double) {
  require(relative >= 0 && absolute >= 0 && reach >= 0, s"no rounding of sums: $this")

  def isNone: Boolean = relative == 0 && absolute == 0

  /** Whether it says anything: the constants of a sum may be too large to be added up. */
  def isFinite: Boolean = java.lang.Double.isFinite(absolute) && java.lang.Double.isFinite(reach)

  /** Whether a sum of a finite number may be infinite: a smaller reach is lost beside the largest number. */
  def mayOverflow: Boolean = reach >= step / 4

  /** That of the sum of two numbers, before it is rounded. */
  def and(other: Rounding): Rounding = Rounding(
    relative + other.relative,
    absolute + other.absolute,
    reach + other.reach,
    math.min(largest, other.largest)
  )

  /** That of either. */
  def or(other: Rounding): Rounding = Rounding(
    math.max(relative, other.relative),
    math.max(absolute, other.absolute),
    math.max(reach, other.reach),
    math.min(largest, other.largest)
  )

  /** That of a number with this much rounding, which is rounded once more.
    *
    * @param offset
    *   by how much it may differ from the sum of the attributes' absolute values, if nothing were rounded
    */
  def rounded(single: Boolean, offset: Double): Rounding = {
    val unit = if (single) Rounding.SingleUnit else Rounding.DoubleUnit
    val most = if (single) Float.MaxValue.toDouble else Double.MaxValue
    copy(
      relative = relative + unit * (1 + relative),
      absolute = absolute + unit * (offset + absolute),
      largest = math.min(largest, most)
    )
  }

  private[this] def step: Double =
    if (largest <= Float.MaxValue) math.ulp(largest.toFloat).toDouble else math.ulp(largest)
}

object Rounding {
  val MostRelative: Double = 1.0 / (1 << 16)

  val None: Rounding = Rounding(0, 0, 0, Double.MaxValue)

  /** Of a sum and a difference in the attribute's own precision. */
  def forAttribute(attribute: AttributeType): Rounding =
    if (attribute.bits == 32) Rounding(4 * SingleUnit, 0, 0, Float.MaxValue.toDouble)
    else Rounding(4 * DoubleUnit, 0, 0, Double.MaxValue)

  /** Half a unit in the last place of 1, by which the nearest number is off at most. */
  val SingleUnit: Double = 1.0 / (1 << 24)
  val DoubleUnit: Double = 1.0 / (1L << 53)
}
