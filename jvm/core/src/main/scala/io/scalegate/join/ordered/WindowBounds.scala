package io.scalegate.join.ordered

import io.scalegate.join.JoinSpec
import io.scalegate.stream.{CountWindow, Side, StreamTuple, TimeWindow, Window}

/** How the window over one stream slides: what a tuple of the opposite stream reaches in it, and
  * what its own next tuple pushes out. No state: any thread.
  *
  * @param side
  *   the stream whose tuples are in the window
  */
final private[scalegate] class WindowBounds(side: Side, spec: JoinSpec) {
  import spec.{from, window}

  private[this] val time = window match {
    case w: TimeWindow => w
    case _: CountWindow => null
  }
  private[this] val lastRows = window match {
    case w: CountWindow => w.rows(side)
    case _: TimeWindow => 0L
  }

  /** Whether a tuple of this stream can be the earlier one of a pair at all. */
  val canBeEarlier: Boolean =
    if (time == null) lastRows > 0
    else if (side eq Side.R) time.upper >= 0
    else time.lower <= 0

  /** What rows lie in order of: their time or, in a row-count window, their number in the stream.
    */
  def windowValue(t: StreamTuple, number: Long): Long = if (time == null) number else t.ts

  /** The first window value that `t` of the opposite stream, and so every tuple after it, can pair with.
    */
  def earliestFor(t: StreamTuple): Long = earliestAt(t.ts)

  /** The first window value that a tuple of the opposite stream at `ts` can pair with. */
  def earliestAt(ts: Long): Long =
    if (time == null) Long.MinValue else time.earliest(side.opposite, ts)

  /** The last window value that `t` of the opposite stream can pair with. */
  def latestFor(t: StreamTuple): Long =
    if (time == null) Long.MaxValue else time.latest(t.side, t.ts)

  /** The first window value that is in the window once `t` of this stream, its `number`-th, has come.
    */
  def earliestAfter(t: StreamTuple, number: Long): Long =
    if (time == null) number + 1 - lastRows else time.earliest(side.opposite, t.ts)

  /** Whether `t` of the opposite stream has no pairs with tuples before it. */
  def isOutOfTime(t: StreamTuple): Boolean = t.ts < from || isOutOfRange(t)

  /** Whether all that `t` can pair with lies beyond the ends of `Long`, where bounds saturate. */
  def isOutOfRange(t: StreamTuple): Boolean =
    time != null && time.isOutOfRange(t.side, t.ts)

  /** As [[earliestFor]], where tuples later than `t` may have come before it. */
  def earliestWantedBy(t: StreamTuple): Long =
    if (t.ts >= from) earliestFor(t)
    else if (time == null) Long.MaxValue
    else math.max(earliestFor(t), from)
}

private[scalegate] object WindowBounds {

  /** Of a count window that is larger, an index learns by itself. */
  private[this] val MostExpected = 1 << 22

  /** The tuples that an index should be ready for.
    *
    * @param inTime
    *   for a window in time
    */
  def expectedRows(window: Window, inTime: Int): Int = window match {
    case w: CountWindow => math.min(math.max(w.rowsR, w.rowsS), MostExpected.toLong).toInt
    case _: TimeWindow => inTime
  }
}
