package io.scalegate.indexjoin

import io.scalegate.band.Band
import io.scalegate.index.{PositionBuffer, SlidingIndex}

/** What an index over a join's window is given of each row, and how it is asked for the rows in a tuple's
  * ranges. One thread.
  */
abstract private[scalegate] class IndexKeys {

  /** The band whose test the index's answer has passed; -1 for none. */
  def exact: Int

  def key(attrs: Array[Long]): Long

  /** What the index carries beside the key. */
  def value(attrs: Array[Long]): Int

  /** Appends the positions from `first` to `last` of the rows that the ranges may hold: of the i-th band from
    * `ranges(2i)` to `ranges(2i + 1)`.
    */
  def search(
      index: SlidingIndex,
      ranges: Array[Long],
      first: Long,
      last: Long,
      out: PositionBuffer
  ): Unit
}

private[scalegate] object IndexKeys {

  /** @param lead
    *   the band that an index of one dimension lies on
    * @param dimensions
    *   2 for the first two bands, if there are two
    */
  def apply(bands: IndexedSeq[Band], lead: Int, dimensions: Int): IndexKeys =
    if (dimensions == 2 && bands.length > 1) new KeysOfTwoBands(bands(0), bands(1))
    else new KeysOfOneBand(bands, lead)

  def requireDimensions(dimensions: Int): Unit =
    if (dimensions != 1 && dimensions != 2)
      throw new IllegalArgumentException(
        s"an index of $dimensions dimensions: give 1, for one band, or 2, for the first two"
      )
}
