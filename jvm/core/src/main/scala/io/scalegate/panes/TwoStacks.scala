package io.scalegate.panes

/** Two stacks back to back, after Tangwongsan, Hirzel and Schneider's survey of sliding windows: a pane is merged twice
  * in its life, however long the windows are; each merge is of neighbours in their order; and nothing is ever taken out
  * of a state, so floating-point sums lose nothing to an inverse.
  *
  * {{{
  *    0     1     2    old                     size
  *    | 1-4 | 2-4 | 3-4 |  5  |  6  |                 back = 5-6
  * }}}
  *
  * Each of the `old` oldest panes holds the state of itself and of the newer ones among them; the panes behind them are
  * as they came, and `back` is their state. When the last of the old ones is evicted, what is left is merged from its
  * end.
  *
  * One thread at a time.
  */
final private[scalegate] class TwoStacks[S <: AnyRef](merging: StateMerging[S])
    extends PaneStates[S] {
  private[this] var old = 0
  private[this] var back: S = _
  private[this] var mergeCount = 0L
  private[this] var most = 0
  private[this] var byteCount = 0L

  /** Merges since the beginning. */
  def merges: Long = mergeCount

  /** The largest number of panes held at once. */
  def peak: Int = most

  /** The bytes of all states that are held. */
  def bytes: Long = byteCount + bytesOf(back)

  def older: S = if (old > 0) state(0) else back

  def newer: S = if (old > 0) back else null.asInstanceOf[S]

  def push(start: Long, state: S): Unit = {
    add(start, state)
    byteCount += bytesOf(state)
    back = if (back eq null) merging.changeable(state) else merged(back, state)
    if (size > most) most = size
  }

  def evictBefore(start: Long): Unit = {
    var evicted = 0
    while (!isEmpty && oldest < start) {
      byteCount -= bytesOf(removeOldest())
      evicted += 1
    }
    if (evicted > old) turnOver() else old -= evicted
  }

  override def clear(): Unit = {
    super.clear()
    old = 0
    back = null.asInstanceOf[S]
    byteCount = 0L
  }

  private[this] def turnOver(): Unit = {
    var i = size - 2
    while (i >= 0) {
      val through = merged(state(i), state(i + 1))
      byteCount += bytesOf(through) - bytesOf(state(i))
      setState(i, through)
      i -= 1
    }
    old = size
    back = null.asInstanceOf[S]
  }

  private[this] def bytesOf(state: S): Int = if (state eq null) 0 else merging.bytesOf(state)

  private[this] def merged(older: S, newer: S): S = {
    mergeCount += 1
    merging.mergeInto(older, newer)
  }
}
