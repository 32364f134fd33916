package io.scalegate.indexjoin

import io.scalegate.band.AttributeType
import io.scalegate.column.ColumnarWindow

/** The band whose attribute an index carries beside its keys, so that it tests two bands where it
  * searches: the first one that it does not lie on. No state: any thread.
  *
  * An index carries 32 bits. They hold a 32-bit attribute; of a 64-bit one they are the upper half,
  * so what the index lets through is tested again.
  *
  * @param lead
  *   the band that the index lies on
  */
final private[scalegate] class CarriedBand(attributes: IndexedSeq[AttributeType], lead: Int) {
  private[this] val band = if (attributes.length < 2) -1 else if (lead == 0) 1 else 0
  private[this] val isHalf = band >= 0 && attributes(band).bits > 32

  /** What the index is given of a row with these attributes. */
  def value(attrs: Array[Long]): Int = if (band < 0) 0 else narrowed(attrs(band))

  /** The same of a row in a window's columns. */
  def value(window: ColumnarWindow, slot: Int): Int =
    if (band < 0) 0 else narrowed(IndexJoinWindow.value(window, slot, band))

  /** The least that a match carries. */
  def least(ranges: Array[Long]): Int =
    if (band < 0) Int.MinValue else narrowed(ranges(2 * band))

  /** The greatest that a match carries. */
  def greatest(ranges: Array[Long]): Int =
    if (band < 0) Int.MaxValue else narrowed(ranges(2 * band + 1))

  /** Bounds of 32-bit attributes may lie beyond what these can be. */
  private[this] def narrowed(value: Long): Int =
    if (isHalf) (value >> 32).toInt
    else math.max(Int.MinValue.toLong, math.min(Int.MaxValue.toLong, value)).toInt
}
