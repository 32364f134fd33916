package io.scalegate.indexjoin

import io.scalegate.band.Band
import io.scalegate.index.{PositionBuffer, RangeQuery, SlidingIndex}

/** The index lies on one band, and carries the attribute of another beside its keys, the first one that it
  * does not lie on: so it tests two bands where it searches.
  *
  * @param lead
  *   the band that the index lies on
  */
final private[indexjoin] class KeysOfOneBand(bands: IndexedSeq[Band], lead: Int)
    extends IndexKeys {
  private[this] val other = if (lead == 0) 1 else 0
  private[this] val carried = if (bands.length < 2) null else new CarriedBand(bands(other))
  private[this] val query = new RangeQuery

  def exact: Int = lead

  def key(attrs: Array[Long]): Long = attrs(lead)

  def value(attrs: Array[Long]): Int = if (carried == null) 0 else carried.value(attrs(other))

  def search(
      index: SlidingIndex,
      ranges: Array[Long],
      first: Long,
      last: Long,
      out: PositionBuffer
  ): Unit = {
    query.keys(ranges(2 * lead), ranges(2 * lead + 1)).positions(first, last)
    if (carried != null) carried.restrict(query, ranges(2 * other), ranges(2 * other + 1))
    index.search(query, out)
  }
}
