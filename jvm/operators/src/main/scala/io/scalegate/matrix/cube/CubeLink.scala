package io.scalegate.matrix.cube

import io.scalegate.band.Band
import io.scalegate.stream.{Side, Sides, StreamTuple}

/** What a tuple of one stream asks of the tuples of another: one [[CubePair]], seen from one end.
  * One thread at a time.
  *
  * @param side
  *   the part that the asking tuple has in the pair: R for the first, S for the second
  * @param width
  *   the attributes of the other stream
  */
final private[matrix] class CubeLink(pair: CubePair, side: Side, width: Int) {
  private[this] val window = pair.window
  private[this] val bands: Array[Band] = pair.bands.map(_.band).toArray
  private[this] val compared = pair.bands.map(b => Sides(b.first, b.second))
  private[this] val mine = compared.map(_(side)).toArray
  private[this] val others = compared.map(_(side.opposite)).toArray
  private[this] val ranges = new Array[Long](2 * width)

  def earliest(ts: Long): Long = window.earliest(side, ts)

  def latest(ts: Long): Long = window.latest(side, ts)

  /** Whether all that a tuple at `ts` asks for lies beyond the ends of `Long`. */
  def isOutOfTime(ts: Long): Boolean = window.isOutOfRange(side, ts)

  /** The inclusive bounds that `t` sets the other stream's attributes, two for each; those that no
    * band compares have all numbers. Valid until the next call.
    */
  def rangesOf(t: StreamTuple): Array[Long] = {
    var i = 0
    while (i < width) {
      ranges(2 * i) = Long.MinValue
      ranges(2 * i + 1) = Long.MaxValue
      i += 1
    }
    i = 0
    while (i < bands.length) {
      val key = t.attrs(mine(i))
      val at = 2 * others(i)
      ranges(at) = math.max(ranges(at), bands(i).least(side, key))
      ranges(at + 1) = math.min(ranges(at + 1), bands(i).greatest(side, key))
      i += 1
    }
    ranges
  }

  /** Whether `t`'s attributes lie in the last [[rangesOf]]. */
  def accepts(t: StreamTuple): Boolean = {
    var i = 0
    while (i < width && ranges(2 * i) <= t.attrs(i) && t.attrs(i) <= ranges(2 * i + 1)) i += 1
    i == width
  }
}
