package io.scalegate.multiway

import io.scalegate.multiway.function.AggregateFunction
import io.scalegate.stream.SlidingWindows

/** The windows of one key, made from the states of its panes in order: each window costs a
  * constant number of merges, amortised, however many panes it has. Sequential; one key's only.
  *
  * Give each pane that has tuples with [[add]], in rising order; take each window with [[take]]
  * when no pane of it is still to come. A state that was given belongs to this object.
  */
final class PaneWindows[S <: AnyRef, R](
    windows: SlidingWindows,
    function: AggregateFunction[_, S, R]
) {
  private[this] val merging = new PaneMerging(function)
  private[this] val panes = merging.newPanes()
  private[this] var from = Long.MinValue // no window before it is still to be taken
  private[this] var isOver = false // the last window that there is was taken

  /** Whether there is no window to take. */
  def isEmpty: Boolean = panes.isEmpty

  /** The state of the pane that starts at `start`, after all panes given before. A pane that no
    * window holds is left out.
    */
  def add(start: Long, state: S): Unit =
    if (windows.count(start) > 0 && windows.last(start) >= from && !isOver)
      panes.push(start, state)

  /** The start of the next window, which has a pane. Not when empty. */
  def nextStart: Long = math.max(from, windows.first(panes.oldest))

  /** The result of the next window. Not when empty. */
  def take(): R = {
    val start = nextStart
    val result = merging.result(panes)
    if (start > Long.MaxValue - windows.advance) {
      isOver = true
      panes.clear()
    } else {
      from = start + windows.advance
      panes.evictBefore(from)
    }
    result
  }
}
