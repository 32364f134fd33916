package io.scalegate.multiway.sequence

import io.scalegate.multiway.PaneMerging
import io.scalegate.multiway.function.AggregateFunction
import io.scalegate.stream.SlidingWindows

/** Tuple-based windows of one key (multiway aggregation, §2): after every `advance`-th of the
  * key's tuples, one over its last `size`, or over all where there are fewer. Sequential: tuples
  * come in their order.
  *
  * A tuple costs one update, and a window a constant number of merges, amortised, of panes of as
  * many tuples as divide both numbers.
  */
final class TupleWindows[T, S <: AnyRef, R](
    size: Long,
    advance: Long,
    function: AggregateFunction[T, S, R]
) {
  require(size > 0, s"a window needs at least one tuple, not $size")
  require(advance > 0, s"a window's advance must be at least one tuple, not $advance")

  private[this] val pane = SlidingWindows(size, advance).pane
  private[this] val merging = new PaneMerging(function)
  private[this] val panes = merging.newPanes()
  private[this] var open = function.create() // the pane that is not full
  private[this] var count = 0L

  /** Adds the key's next tuple. Whether a window ends with it, whose result is [[result]]'s. */
  def add(tuple: T): Boolean = {
    open = function.add(open, tuple)
    count += 1
    if (count % pane == 0) {
      panes.push(count - pane, open)
      open = function.create()
      panes.evictBefore(count - size)
    }
    count % advance == 0
  }

  /** The result of the window that ends with the last tuple added. Only when [[add]] said so. */
  def result: R = merging.result(panes)
}
