package io.scalegate.multiway

import io.scalegate.multiway.function.{AggregateFunction, Invertible}
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
  private[this] val panes: SlidingStates[S] = SlidingStates(function)
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
    val result = panes.result(function)
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

/** States of panes in their order, the oldest first, whose merge is known at any time. They stand
  * in a ring; the oldest one's start stands beside it, since a window asks each key for it.
  */
abstract private[scalegate] class SlidingStates[S <: AnyRef] {
  private[this] var starts = new Array[Long](SlidingStates.Few)
  private[this] var states = new Array[AnyRef](SlidingStates.Few)
  private[this] var first = 0
  private[this] var count = 0
  private[this] var firstStart = 0L

  def push(start: Long, state: S): Unit
  def evictBefore(start: Long): Unit
  def result[R](function: AggregateFunction[_, S, R]): R

  final def isEmpty: Boolean = count == 0

  /** The start of the oldest. Not when empty. */
  final def oldest: Long = firstStart

  def clear(): Unit = {
    java.util.Arrays.fill(states, null)
    first = 0
    count = 0
  }

  final protected def size: Int = count
  final protected def state(i: Int): S = states(place(i)).asInstanceOf[S]
  final protected def setState(i: Int, state: S): Unit = states(place(i)) = state

  final protected def addLast(start: Long, state: S): Unit = {
    if (count == states.length) grow()
    if (count == 0) firstStart = start
    starts(place(count)) = start
    states(place(count)) = state
    count += 1
  }

  /** Takes the oldest out; its state. Not when empty. */
  final protected def removeFirst(): S = {
    val removed = states(first).asInstanceOf[S]
    states(first) = null
    first = place(1)
    count -= 1
    firstStart = starts(first)
    removed
  }

  private[this] def place(i: Int): Int = (first + i) & (states.length - 1)

  private[this] def grow(): Unit = {
    val (oldStarts, oldStates) = (starts, states)
    starts = new Array[Long](2 * count)
    states = new Array[AnyRef](2 * count)
    val tail = count - first
    System.arraycopy(oldStarts, first, starts, 0, tail)
    System.arraycopy(oldStarts, 0, starts, tail, first)
    System.arraycopy(oldStates, first, states, 0, tail)
    System.arraycopy(oldStates, 0, states, tail, first)
    first = 0
  }
}

private[scalegate] object SlidingStates {
  private val Few = 4

  /** By the inverse where the function has one. */
  def apply[S <: AnyRef](function: AggregateFunction[_, S, _]): SlidingStates[S] =
    function match {
      case inverse: Invertible[S @unchecked] => new SubtractOnEvict(function, inverse)
      case _ => new TwoStacks(function)
    }
}

/** The merge of all, from which the oldest is subtracted when it goes: one merge and one inverse
  * for each pane.
  */
final private[scalegate] class SubtractOnEvict[S <: AnyRef](
    function: AggregateFunction[_, S, _],
    inverse: Invertible[S]
) extends SlidingStates[S] {
  private[this] var all = function.create()

  def push(start: Long, state: S): Unit = {
    addLast(start, state)
    all = function.merge(all, state)
  }

  def evictBefore(start: Long): Unit =
    while (!isEmpty && oldest < start) all = inverse.subtract(all, removeFirst())

  override def clear(): Unit = {
    super.clear()
    all = function.create()
  }

  def result[R](f: AggregateFunction[_, S, R]): R = f.result(all)
}

/** Two stacks back to back: new panes go on one, the oldest lies on top of the other.
  *
  * On the old stack each pane holds the merge of itself and all younger ones on that stack, so
  * its top is the merge of the stack; the new stack's merge is kept beside it. When the old one
  * is empty the new one is turned over, which costs a merge for each of its panes, once for each.
  * A window's state is at most one merge more, with a copy. Each merge is of neighbours in their
  * order.
  */
final private[scalegate] class TwoStacks[S <: AnyRef](function: AggregateFunction[_, S, _])
    extends SlidingStates[S] {
  private[this] var old =
    0 // how many of them, the first ones, are merged with the rest of the old
  private[this] var youngMerged: S = _

  def push(start: Long, state: S): Unit = {
    if (size == old) youngMerged = function.create()
    addLast(start, state)
    youngMerged = function.merge(youngMerged, state)
  }

  def evictBefore(start: Long): Unit =
    while (!isEmpty && oldest < start) {
      if (old == 0) turnOver()
      removeFirst()
      old -= 1
    }

  override def clear(): Unit = {
    super.clear()
    old = 0
  }

  def result[R](f: AggregateFunction[_, S, R]): R =
    if (old == 0) f.result(youngMerged)
    else if (old == size) f.result(state(0))
    else f.result(f.merge(f.merge(f.create(), state(0)), youngMerged))

  private[this] def turnOver(): Unit = {
    var i = size - 2
    while (i >= 0) {
      setState(i, function.merge(state(i), state(i + 1)))
      i -= 1
    }
    old = size
  }
}
