package io.scalegate.interval

import io.scalegate.column.RangeKernel
import io.scalegate.stream.StreamTuple

/** Finds the rows of a run of a [[KeyBuffer]] whose attributes lie in a tuple's ranges. Keeps the
  * last answer. One thread at a time.
  *
  * @param width
  *   the attributes beside the key
  */
final private[interval] class KeyBufferSearch(width: Int, kernel: RangeKernel) {
  private[this] var slots = new Array[Int](16)
  private[this] var buffer: KeyBuffer = _
  private[this] var start = 0
  private[this] var compared = 0L

  /** Rows that were tested so far. */
  def comparisons: Long = compared

  /** Searches the rows of `in` from index `from` up to, and without, `until`, and returns the
    * number of candidates.
    *
    * @param ranges
    *   the inclusive bounds, two for each attribute, the key's first
    */
  def search(in: KeyBuffer, from: Int, until: Int, ranges: Array[Long]): Int = {
    compared += until - from
    buffer = in
    start = from
    if (width == 0) until - from
    else if (from == until || !areSatisfiable(ranges)) 0
    else select(from, until, ranges)
  }

  /** The last answer's k-th candidate, in order. Valid until the buffer changes. */
  def row(k: Int): StreamTuple = buffer.row(if (width == 0) start + k else slots(k))

  private[this] def select(from: Int, until: Int, ranges: Array[Long]): Int = {
    if (slots.length < until - from)
      slots = new Array[Int](math.max(until - from, slots.length * 2))
    var n = kernel.select(buffer.column(0), from, until, ranges(2), ranges(3), slots, 0)
    var i = 1
    while (i < width && n > 0) {
      n = kernel.refine(buffer.column(i), ranges(2 * i + 2), ranges(2 * i + 3), slots, 0, n)
      i += 1
    }
    n
  }

  private[this] def areSatisfiable(ranges: Array[Long]): Boolean = {
    var i = 2
    while (i < ranges.length) {
      if (ranges(i) > ranges(i + 1)) return false
      i += 2
    }
    true
  }
}
