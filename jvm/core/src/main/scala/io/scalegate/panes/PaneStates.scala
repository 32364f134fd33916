package io.scalegate.panes

import io.scalegate.column.GrowingRing

/** The states of a window's panes in the order of the panes' starts, and their merged state in at most two parts. One
  * thread at a time.
  */
abstract private[scalegate] class PaneStates[S <: AnyRef] extends GrowingRing(PaneStates.Few) {
  private[this] var starts = new Array[Long](capacity)
  private[this] var states = new Array[AnyRef](capacity)
  private[this] var first = 0L // beside the ring, since a window asks each key for it

  /** Adds the state of the pane that starts at `start`, which is behind all others; the state belongs to this object
    * from now on.
    */
  def push(start: Long, state: S): Unit

  /** The merged state of the older part of the panes; of all of them where there is no newer part. Not when empty. */
  def older: S

  /** The merged state of the rest, or null. */
  def newer: S

  /** Forgets the panes that start before `start`. */
  def evictBefore(start: Long): Unit

  /** Forgets all panes. */
  def clear(): Unit = {
    release(states)
    removeAll()
  }

  /** The start of the oldest pane. Not when empty. */
  final def oldest: Long = first

  /** The state of the i-th oldest pane. */
  final protected def state(i: Int): S = states(slot(i)).asInstanceOf[S]

  final protected def setState(i: Int, state: S): Unit = states(slot(i)) = state

  final protected def add(start: Long, state: S): Unit = {
    if (isEmpty) first = start
    val at = addSlot()
    starts(at) = start
    states(at) = state
  }

  /** Takes the oldest pane out; its state. Not when empty. */
  final protected def removeOldest(): S = {
    val removed = state(0)
    states(head) = null
    removeHead()
    first = starts(head)
    removed
  }

  override protected def resize(slots: Int): Unit = {
    starts = unrolled(starts, new Array[Long](slots))
    states = unrolled(states, new Array[AnyRef](slots))
  }
}

private object PaneStates {
  private val Few = 4
}
