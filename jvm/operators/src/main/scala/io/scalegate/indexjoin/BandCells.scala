package io.scalegate.indexjoin

import io.scalegate.band.{Band, FloatingBand, IntegralBand}
import io.scalegate.stream.SortableKey

/** Cuts the axis of a band's attribute into cells of one width, by which an index finds its rows or sieves them. A
  * band is as wide as `2^(bits - 1)` cells or more, and less than twice as wide, whatever the attribute's unit is: so
  * a search asks for about as many cells in any data. Where the band is narrower than that in the attribute's own
  * steps the cells are those steps. No state: any thread.
  */
final private[indexjoin] class BandCells(band: Band, bits: Int) {
  /*
   * Cells are numbered modulo 2^32, so those that are 2^32 apart have one number: rows of both are
   * found, and those of the other are then left out by the join's own test. A range of cells may run over
   * the highest number, to the lowest.
   */
  private[this] val (shift, scale) = band match {
    case IntegralBand(_, lower, upper) =>
      val width = 64 - java.lang.Long.numberOfLeadingZeros(upper - lower) // an unsigned number
      (math.max(0, width - bits), 0.0)
    case FloatingBand(attribute, lower, upper, _) =>
      val scale = (1L << (bits - 1)) / math.min(upper - lower, Double.MaxValue)
      // A width of zero, or nearly: the first bits of what is sorted by hold a number's magnitude.
      if (java.lang.Double.isInfinite(scale)) (attribute.bits - 32, 0.0) else (0, scale)
  }
  private[this] val is32Bit = band.attribute.bits == 32

  /** The cell of a sortable integer; it does not fall where that rises. */
  def of(key: Long): Long = if (scale == 0.0) key >> shift else ofNumber(decoded(key) * scale)

  /** The number of a cell, from 0 to 2^32^ − 1. */
  def number(cell: Long): Long = (cell + (1L << 31)) & 0xffffffffL

  /** Whether the cells from one to another have half of all numbers or more. Where they have fewer, and run over the
    * highest number, those before it are in the upper half of the numbers and those behind it in the lower.
    */
  def areMany(from: Long, to: Long): Boolean =
    java.lang.Long.compareUnsigned(to - from, (1L << 31) - 1) >= 0

  /** NaN is above all numbers, as a sortable integer is. */
  private[this] def ofNumber(v: Double) =
    if (java.lang.Double.isNaN(v)) Long.MaxValue else math.floor(v).toLong

  private[this] def decoded(key: Long) =
    if (is32Bit) SortableKey.toFloat(key.toInt).toDouble else SortableKey.toDouble(key)
}
