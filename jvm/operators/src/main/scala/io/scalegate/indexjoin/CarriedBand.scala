package io.scalegate.indexjoin

import io.scalegate.band.Band
import io.scalegate.index.RangeQuery

/** The band whose attribute an index carries beside its keys, so that it is tested where the index is searched. No
  * state: any thread.
  *
  * An index carries 32 bits. They hold a 32-bit attribute; of a 64-bit one they are the number of a cell, of which
  * the band is as wide as half a million, so what the index lets through is tested again.
  */
final private[indexjoin] class CarriedBand(band: Band) {
  private[this] val cells =
    if (band.attribute.bits > 32) new BandCells(band, CarriedBand.Bits) else null

  /** What the index is given of a row with this attribute. */
  def value(attribute: Long): Int =
    if (cells == null) attribute.toInt else CarriedBand.toInt(cells.number(cells.of(attribute)))

  /** Has a query leave out what carries an attribute below `least` or above `greatest`, and, of a 64-bit one, maybe
    * not all of that. Bounds of 32-bit attributes may lie beyond what these can be.
    */
  def restrict(query: RangeQuery, least: Long, greatest: Long): Unit =
    if (cells == null) query.values(CarriedBand.clamped(least), CarriedBand.clamped(greatest))
    else {
      val (first, last) = (cells.of(least), cells.of(greatest))
      val (lo, hi) = (cells.number(first), cells.number(last))
      if (lo > hi || cells.areMany(first, last)) query.values(Int.MinValue, Int.MaxValue)
      else query.values(CarriedBand.toInt(lo), CarriedBand.toInt(hi))
    }
}

private object CarriedBand {
  val Bits = 20

  /** In the same order. */
  def toInt(number: Long): Int = (number - (1L << 31)).toInt

  def clamped(value: Long): Int =
    math.max(Int.MinValue.toLong, math.min(Int.MaxValue.toLong, value)).toInt
}
