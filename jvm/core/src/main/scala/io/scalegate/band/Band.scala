package io.scalegate.band

import io.scalegate.stream.{Side, SortableKey, TimeWindow}

/** `s.attribute ∈ [r.attribute + lower, r.attribute + upper]`, both ends inclusive, on one
  * attribute of the two streams. An equi key is the band of width zero on integers.
  *
  * A band gives the range of sortable integers that the other side's attribute must lie in. On
  * integers the range is exact, as if sums could not overflow. On floating point it holds every
  * match whichever way the user's own expression rounds; the expression itself is the residual
  * predicate.
  */
sealed trait Band {
  def attribute: AttributeType

  /** The smallest key of the opposite side that a tuple of `side` with `key` can match; above
    * [[greatest]] when there is none, and then not to be compared with that of other keys.
    */
  def least(side: Side, key: Long): Long

  /** The largest key of the opposite side that a tuple of `side` with `key` can match; below
    * [[least]] when there is none.
    */
  def greatest(side: Side, key: Long): Long

  /** Whether each key of one side can match one key of the other at most. */
  def isPoint: Boolean = false
}

final case class IntegralBand(attribute: AttributeType, lower: Long, upper: Long) extends Band {
  require(lower <= upper, s"an empty band: lower bound $lower is above upper bound $upper")
  require(
    attribute == AttributeType.Int32 || attribute == AttributeType.Int64,
    s"an integral band cannot lie on $attribute"
  )

  private[this] val window = TimeWindow(lower, upper)

  override def isPoint: Boolean = lower == upper

  def least(side: Side, key: Long): Long =
    if (window.isOutOfRange(side, key)) Long.MaxValue else window.earliest(side, key)

  def greatest(side: Side, key: Long): Long =
    if (window.isOutOfRange(side, key)) Long.MinValue else window.latest(side, key)
}

/** A band on `Float32` or `Float64`; `lower` and `upper` are finite.
  *
  * The range of a number holds every match, however the user's expressions round ([[Rounding]]). NaN and, while no
  * sum overflows, the infinities absorb a distance: their range is themselves. Where a sum of a large finite
  * number may be infinite, that number may match what lies as far out, and so may the infinity.
  */
final case class FloatingBand(
    attribute: AttributeType,
    lower: Double,
    upper: Double,
    rounding: Rounding
) extends Band {
  require(lower <= upper, s"an empty band: lower bound $lower is above upper bound $upper")
  require(
    attribute == AttributeType.Float32 || attribute == AttributeType.Float64,
    s"a floating-point band cannot lie on $attribute"
  )
  require(
    rounding.relative <= Rounding.MostRelative,
    s"sums whose rounding errors add up to ${rounding.relative} of the numbers bound nothing"
  )

  /** With a little more than the first order of the errors, and with those of the sums below. */
  private[this] val relative = (rounding.relative + 2 * Rounding.DoubleUnit) * FloatingBand.More
  private[this] val absolute = rounding.absolute * FloatingBand.More

  /** Sums of numbers beyond it may overflow. */
  private[this] val end =
    if (rounding.mayOverflow) (rounding.largest - rounding.reach) / FloatingBand.More
    else Double.PositiveInfinity

  def least(side: Side, key: Long): Long =
    encode(-farthest(-decode(key), if (side eq Side.R) -lower else upper), up = false)

  def greatest(side: Side, key: Long): Long =
    encode(farthest(decode(key), if (side eq Side.R) upper else -lower), up = true)

  /** What a range is wider than the band by, relative to the numbers: the keys are rounded, too. */
  private[scalegate] def widening: Double =
    math.max(rounding.relative, Rounding.forAttribute(attribute).relative)

  /** The same around zero, in all; the least key is a step of its type. */
  private[scalegate] def slack: Double = {
    val step =
      if (attribute.bits == 32) Float.MinPositiveValue.toDouble else Double.MinPositiveValue
    step + absolute + widening * math.max(math.abs(lower), math.abs(upper))
  }

  private[this] def decode(key: Long): Double =
    if (attribute.bits == 32) SortableKey.toFloat(key.toInt).toDouble
    else SortableKey.toDouble(key)

  /** What is at most `v + d` in the user's expressions is at most this. The lower end is the same of `-v` and `-d`. */
  private[this] def farthest(v: Double, d: Double): Double =
    if (java.lang.Double.isNaN(v) || v == Double.PositiveInfinity) v
    else if (v == Double.NegativeInfinity) -end
    else if (v > end) Double.PositiveInfinity
    else {
      val slack =
        relative * math.abs(v) + relative * math.abs(v) + relative * math.abs(d) + absolute
      val sum = v + d + slack
      val bound =
        if (java.lang.Double.isInfinite(sum)) 2 * (v / 2 + (d / 2 + slack / 2)) else sum
      if (v < -end) math.max(bound, -end) else bound
    }

  private[this] def encode(bound: Double, up: Boolean): Long =
    if (attribute.bits == 32) {
      val f = bound.toFloat
      val isWhole = java.lang.Double.isNaN(bound) || java.lang.Double.isInfinite(bound)
      SortableKey.ofFloat(if (isWhole) f else if (up) Math.nextUp(f) else Math.nextDown(f)).toLong
    } else {
      val isWhole = java.lang.Double.isNaN(bound) || java.lang.Double.isInfinite(bound)
      SortableKey.ofDouble(
        if (isWhole) bound else if (up) Math.nextUp(bound) else Math.nextDown(bound)
      )
    }
}

object FloatingBand {

  /** Of sums and differences in the attribute's own precision. */
  def apply(attribute: AttributeType, lower: Double, upper: Double): FloatingBand =
    FloatingBand(attribute, lower, upper, Rounding.forAttribute(attribute))

  private val More = 1 + 1.0 / 1024
}
