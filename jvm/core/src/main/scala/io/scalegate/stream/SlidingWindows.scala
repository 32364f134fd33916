package io.scalegate.stream

/** Time-based sliding windows (multiway aggregation, §2): the window that starts at `s` holds the
  * times of `[s, s + size)`, and one starts at every multiple of `advance`, negative ones too.
  *
  * A window is named by its start. It ends at an instant that is the last one it holds, since the
  * first one behind it may be no `Long`. Windows that would start before the first `Long` do not
  * exist; those that would end behind the last one hold all that is left.
  *
  * With `advance > size` there are gaps, whose times lie in no window. With `advance < size`
  * windows overlap and a time lies in about `size / advance` of them.
  *
  * Panes are the pieces of time that no window cuts: each window starts and ends between two of
  * them, and is made of the same number of them. Starts are multiples of `advance` and ends are
  * multiples of `advance` plus `size`, so the widest piece that divides both fits, the greatest
  * common divisor of the two.
  *
  * @param size
  *   in the unit of the stream's times, at least 1
  * @param advance
  *   in the same unit, at least 1; need not divide `size`
  */
final case class SlidingWindows(size: Long, advance: Long) {
  require(size > 0, s"a window's size must be positive, not $size")
  require(
    advance > 0,
    s"a window's advance must be positive, not $advance; for windows that do not overlap give " +
      s"its size, $size"
  )

  /** The width of a pane. */
  val pane: Long = SlidingWindows.greatestCommonDivisor(size, advance)

  /** How many panes make a window. */
  val panes: Long = size / pane

  /** The most windows that hold a time. */
  val overlap: Long = (size - 1) / advance + 1

  /** How many windows hold the time. */
  def count(ts: Long): Long = {
    val into = Math.floorMod(ts, advance) // since the last multiple of advance
    val room = ts - Long.MinValue // since the first time; as an unsigned number
    if (into >= size || (room >= 0 && into > room)) 0
    else {
      val reach = if (room >= 0) math.min(size - 1, room) else size - 1
      (reach - into) / advance + 1
    }
  }

  /** The start of the first window that holds the time. It must be held by one; the others start
    * every [[advance]] from there.
    */
  def first(ts: Long): Long = last(ts) - (count(ts) - 1) * advance

  /** The start of the last window that holds the time. It must be held by one. */
  def last(ts: Long): Long = ts - Math.floorMod(ts, advance)

  /** The last time of the window that starts at `start`. */
  def end(start: Long): Long = SaturatingMath.add(start, size - 1)

  /** The number of the pane that holds the time: pane `n` starts at `n * pane`. */
  def paneOf(ts: Long): Long = Math.floorDiv(ts, pane)
}

/** Which windows hold a time, for one thread whose times mostly stay in a pane for a while:
  * worked out, with its divisions, once for each pane.
  */
final private[scalegate] class WindowCursor(windows: SlidingWindows) {
  private[this] var from = 0L
  private[this] var to = -1L // before `from`: nothing is known
  private[this] var held = 0L
  private[this] var latest = 0L

  /** [[count]] and [[last]] are those of `ts` from here on. */
  def seek(ts: Long): Unit = if (ts < from || ts > to) {
    val into = Math.floorMod(ts, windows.pane)
    from = SaturatingMath.subtract(ts, into)
    to = SaturatingMath.add(ts, windows.pane - 1 - into)
    held = windows.count(ts)
    latest = windows.last(ts)
  }

  /** How many windows hold the time. */
  def count: Long = held

  /** The start of the last of them; of no meaning when there is none. */
  def last: Long = latest

  /** The start of the first of them; of no meaning when there is none. */
  def first: Long = latest - (held - 1) * windows.advance
}

object SlidingWindows {

  /** Windows that neither overlap nor leave gaps. */
  def tumbling(size: Long): SlidingWindows = SlidingWindows(size, size)

  private def greatestCommonDivisor(a: Long, b: Long): Long = {
    var x = a
    var y = b
    while (y != 0) {
      val rest = x % y
      x = y
      y = rest
    }
    x
  }
}
