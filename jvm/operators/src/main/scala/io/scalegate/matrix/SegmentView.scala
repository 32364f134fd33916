package io.scalegate.matrix

import io.scalegate.column.RingColumns
import io.scalegate.stream.StreamTuple

/** What one worker sees of a shared [[Segment]]: the rows that it has taken, or that were there from the
  * beginning, and that have not expired for it. Its thread's, and of no effect on other sharers.
  *
  * @param sharer
  *   the worker's number among the segment's sharers
  */
final private[scalegate] class SegmentView(segment: Segment, sharer: Int) extends RingColumns {
  private[this] var rows = segment.rows
  private[this] var end = 0L
  private[this] var first = 0L
  private[this] var next = segment.begin
  private[this] var highest = segment.begin.toInt

  def size: Int = (next - first).toInt

  /** The position of the row that [[take]] takes next. */
  def taken: Long = next

  /** Rows that were taken so far, without those that were there from the beginning. */
  def stored: Long = next - segment.begin

  /** The most rows that were in the view at once. */
  def peak: Int = highest

  /** Looks for rows that were appended. */
  def refresh(): Unit = {
    end = segment.published
    rows = segment.rows // after the end
  }

  /** Lets the writer drop what has expired. */
  def publish(): Unit = segment.expireFor(sharer, first)

  /** The ordinal of the row that [[take]] takes next; the largest number when there is none. */
  def nextOrdinal: Long = if (next < end) rows.ordinal(rows.slot(next)) else Long.MaxValue

  /** The row that [[take]] takes next, of which there is one. */
  def nextTuple: StreamTuple = rows.tuple(rows.slot(next))

  def take(): Unit = {
    next += 1
    if (next - first > highest) highest = (next - first).toInt
  }

  /** Takes a row that no pair needs. */
  def skip(): Unit = {
    next += 1
    first = next
  }

  def expireBefore(earliest: Long): Unit =
    while (first < next && rows.windowValue(rows.slot(first)) < earliest) first += 1

  /** How many of the oldest rows have a window value below `bound`. */
  def countBefore(bound: Long): Int =
    if (bound == Long.MinValue) 0 else countUpTo(bound - 1)

  /** How many of the oldest rows have a window value of at most `latest`. */
  def countUpTo(latest: Long): Int =
    if (size == 0 || rows.windowValue(slot(size - 1)) <= latest) size
    else {
      var low = 0
      var high = size - 1
      while (low < high) {
        val middle = (low + high) >>> 1
        if (rows.windowValue(slot(middle)) <= latest) low = middle + 1 else high = middle
      }
      low
    }

  def ordinalAt(slot: Int): Long = rows.ordinal(slot)

  def rowAt(slot: Int): StreamTuple = rows.tuple(slot)

  def width: Int = segment.width

  def capacity: Int = rows.capacity

  def head: Int = rows.slot(first)

  def slot(i: Int): Int = rows.slot(first + i)

  private[scalegate] def ints(i: Int): Array[Int] = rows.ints(i)

  private[scalegate] def longs(i: Int): Array[Long] = rows.longs(i)
}
