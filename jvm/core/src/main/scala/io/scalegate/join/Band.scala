package io.scalegate.join

import io.scalegate.stream.{Side, SortableKey, TimeWindow}

/** The type of an attribute that a join compares, which decides how its sortable integers are
  * stored and how a distance is added to them.
  */
sealed abstract class AttributeType(val bits: Int)

object AttributeType {
  case object Int32 extends AttributeType(32)
  case object Int64 extends AttributeType(64)
  case object Float32 extends AttributeType(32)
  case object Float64 extends AttributeType(64)
}

/** `s.attribute ∈ [r.attribute + lower, r.attribute + upper]`, both ends inclusive, on one
  * attribute of the two streams. An equi key is the band of width zero on integers.
  *
  * A band gives the range of sortable integers that the other side's attribute must lie in. On
  * integers the range is exact, as if sums could not overflow. On floating point it is the
  * smallest range known to hold every match whichever way the user's own expression rounds; the
  * expression itself is the residual predicate.
  */
sealed trait Band {
  def attribute: AttributeType

  /** The smallest key of the opposite side that a tuple of `side` with `key` can match. */
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
  * The user may have written the band in `Float` or in `Double` arithmetic, as a difference or as
  * a sum. The slack below covers every one of those roundings. NaN and the infinities absorb a
  * distance: their range is themselves.
  */
final case class FloatingBand(attribute: AttributeType, lower: Double, upper: Double)
    extends Band {
  require(lower <= upper, s"an empty band: lower bound $lower is above upper bound $upper")
  require(
    attribute == AttributeType.Float32 || attribute == AttributeType.Float64,
    s"a floating-point band cannot lie on $attribute"
  )

  def least(side: Side, key: Long): Long =
    encode(decode(key), if (side eq Side.R) lower else -upper, up = false)

  def greatest(side: Side, key: Long): Long =
    encode(decode(key), if (side eq Side.R) upper else -lower, up = true)

  private[this] def decode(key: Long): Double =
    if (attribute.bits == 32) SortableKey.toFloat(key.toInt).toDouble
    else SortableKey.toDouble(key)

  /** Rounding errors of `v + d`, and of a difference that is compared with `d`, are at most one
    * unit in the last place of the larger of the two in the attribute's own precision.
    */
  private[this] def encode(v: Double, d: Double, up: Boolean): Long =
    if (java.lang.Double.isNaN(v) || java.lang.Double.isInfinite(v))
      if (attribute.bits == 32) SortableKey.ofFloat(v.toFloat).toLong else SortableKey.ofDouble(v)
    else if (attribute.bits == 32) {
      val slack = 2.0 * math.max(math.ulp(math.abs(v.toFloat)), math.ulp(math.abs(d).toFloat))
      val bound = (if (up) v + d + slack else v + d - slack).toFloat
      SortableKey.ofFloat(if (up) Math.nextUp(bound) else Math.nextDown(bound)).toLong
    } else {
      val slack = 2.0 * math.max(math.ulp(v), math.ulp(d))
      val bound = if (up) v + d + slack else v + d - slack
      SortableKey.ofDouble(if (up) Math.nextUp(bound) else Math.nextDown(bound))
    }
}
