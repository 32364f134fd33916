package io.scalegate.aggregate

import java.util.ArrayDeque

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

/** States in their order, the oldest first, whose merge is known at any time. */
abstract private[aggregate] class SlidingStates[S <: AnyRef] {
  def isEmpty: Boolean

  /** The start of the oldest. */
  def oldest: Long
  def push(start: Long, state: S): Unit
  def evictBefore(start: Long): Unit
  def clear(): Unit
  def result[R](function: AggregateFunction[_, S, R]): R
}

private[aggregate] object SlidingStates {

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
final private[aggregate] class SubtractOnEvict[S <: AnyRef](
    function: AggregateFunction[_, S, _],
    inverse: Invertible[S]
) extends SlidingStates[S] {
  private[this] val panes = new ArrayDeque[Pane[S]]
  private[this] var all = function.create()

  def isEmpty: Boolean = panes.isEmpty
  def oldest: Long = panes.peekFirst.start

  def push(start: Long, state: S): Unit = {
    panes.addLast(new Pane(start, state))
    all = function.merge(all, state)
  }

  def evictBefore(start: Long): Unit =
    while (!panes.isEmpty && panes.peekFirst.start < start)
      all = inverse.subtract(all, panes.pollFirst().state)

  def clear(): Unit = {
    panes.clear()
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
final private[aggregate] class TwoStacks[S <: AnyRef](function: AggregateFunction[_, S, _])
    extends SlidingStates[S] {
  private[this] val old = new ArrayDeque[Pane[S]] // the oldest first; merged with the rest
  private[this] val young = new ArrayDeque[Pane[S]] // the oldest first; each its own
  private[this] var youngMerged: S = _

  def isEmpty: Boolean = old.isEmpty && young.isEmpty
  def oldest: Long = if (old.isEmpty) young.peekFirst.start else old.peekFirst.start

  def push(start: Long, state: S): Unit = {
    if (young.isEmpty) youngMerged = function.create()
    young.addLast(new Pane(start, state))
    youngMerged = function.merge(youngMerged, state)
  }

  def evictBefore(start: Long): Unit =
    while (!isEmpty && oldest < start) {
      if (old.isEmpty) turnOver()
      old.pollFirst()
    }

  def clear(): Unit = {
    old.clear()
    young.clear()
  }

  def result[R](f: AggregateFunction[_, S, R]): R =
    if (old.isEmpty) f.result(youngMerged)
    else if (young.isEmpty) f.result(old.peekFirst.state)
    else f.result(f.merge(f.merge(f.create(), old.peekFirst.state), youngMerged))

  private[this] def turnOver(): Unit =
    while (!young.isEmpty) {
      val pane = young.pollLast()
      val state =
        if (old.isEmpty) pane.state else function.merge(pane.state, old.peekFirst.state)
      old.addFirst(new Pane(pane.start, state))
    }
}

final private[aggregate] class Pane[S](val start: Long, val state: S)
