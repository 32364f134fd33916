package io.scalegate.indexjoin

import io.scalegate.column.{ColumnarWindow, SharedRows, WindowLimitException}
import io.scalegate.index.ConcurrentSlidingIndex
import io.scalegate.join.JoinSpec
import io.scalegate.join.ordered.WindowBounds
import io.scalegate.stream.{Side, StreamTuple}

/** One stream's window for the threads of a [[ParallelIndexJoin]], and its index. It keeps the
  * rows that have left until nobody searches for them any more (PIM-Tree §4.1, Fig. 6):
  *
  * {{{
  *   released      head            edge              end        positions
  *   ---+------------+---------------+-----------------+------->
  *      | left, but  | in the window | in the window,  |
  *      | still read | and indexed   | perhaps indexed |
  * }}}
  *
  * The thread that takes tuples off the input slides the window and releases rows; [[edge]] is
  * moved by whoever holds the right to, and read by all, as are the rows.
  *
  * @param index
  *   empty; null for a join without bands
  */
final private[scalegate] class IndexJoinSharedWindow(
    side: Side,
    spec: JoinSpec,
    val index: ConcurrentSlidingIndex,
    maxRows: Int
) {
  private[this] val bounds = new WindowBounds(side, spec)
  @volatile private[this] var current =
    new SharedRows(1024, spec.bands.map(_.attribute), hasOrdinals = false)
  @volatile private[this] var edgePosition = 0L
  @volatile private[this] var releasedBelow = 0L

  // Of the thread that takes tuples off the input.
  private[this] var first = 0L
  private[this] var next = 0L
  private[this] var tuples = 0L
  @volatile private[this] var highest = 0

  def rows: SharedRows = current

  /** The edge tuple's position: every row before it is in the index. */
  def edge: Long = edgePosition

  def edge_=(position: Long): Unit = edgePosition = position

  /** The position of the oldest row in the window. */
  def head: Long = first

  /** No thread searches for what lies before this position. */
  def released: Long = releasedBelow

  def peak: Int = highest

  /** Expires what `t` of the opposite stream, and so every tuple after it, cannot pair with, and
    * returns the position of the last row that it can; below [[head]] when there is none.
    */
  def reach(t: StreamTuple): Long = {
    expireBefore(bounds.earliestFor(t))
    if (bounds.isOutOfTime(t)) first - 1 else lastUpTo(bounds.latestFor(t))
  }

  /** Slides over `t` of this stream, stores it, and returns its position, or
    * [[IndexJoinSharedWindow.NotStored]] if no pair can need it.
    */
  def take(t: StreamTuple): Long = {
    val position = if (bounds.canBeEarlier) append(t) else IndexJoinSharedWindow.NotStored
    expireBefore(bounds.earliestAfter(t, tuples))
    tuples += 1
    position
  }

  /** Lets go of the rows before `bound`, which no thread searches for any more. */
  def release(bound: Long): Unit = {
    var p = releasedBelow
    if (p < bound) {
      val rows = current
      while (p < bound) {
        rows.remove(p)
        p += 1
      }
      releasedBelow = bound
    }
  }

  private[this] def append(t: StreamTuple): Long = {
    if (next - first >= maxRows) throw new WindowLimitException((next - first).toInt, maxRows)
    if (next - releasedBelow >= current.capacity) grow()
    current.put(next, ordinal = 0L, bounds.windowValue(t, tuples), t)
    next += 1
    if (next - first > highest) highest = (next - first).toInt
    next - 1
  }

  private[this] def grow(): Unit = {
    if (current.capacity >= ColumnarWindow.MostRows)
      throw new WindowLimitException(current.capacity, ColumnarWindow.MostRows)
    current = current.grown(releasedBelow, next)
  }

  private[this] def expireBefore(earliest: Long): Unit = {
    val rows = current
    while (first < next && rows.windowValue(rows.slot(first)) < earliest) first += 1
  }

  /** The position of the last row whose window value is at most `latest`. */
  private[this] def lastUpTo(latest: Long): Long = {
    val rows = current
    if (first == next || rows.windowValue(rows.slot(next - 1)) <= latest) next - 1
    else {
      var low = first
      var high = next - 1
      while (low < high) {
        val middle = (low + high) >>> 1
        if (rows.windowValue(rows.slot(middle)) <= latest) low = middle + 1 else high = middle
      }
      low - 1
    }
  }
}

private[scalegate] object IndexJoinSharedWindow {
  val NotStored: Long = -1L
}
