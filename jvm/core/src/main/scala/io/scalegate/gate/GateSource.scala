package io.scalegate.gate

import io.scalegate.stream.{EventOrder, IdleStrategy, Waiting}

/** A source's handle on a [[ScaleGate]]: `addTuple` of ScaleJoin's Algorithm 2.
  *
  * A source delivers tuples in strictly rising order. One thread at a time may use a source; that
  * thread may feed other sources too, if it never waits in [[add]] for one while the readers wait
  * for another (deliver in merged order, and `advance` the others before waiting).
  */
final class GateSource[T <: AnyRef] private[gate] (
    private[gate] val gate: ScaleGate[T],
    frontier: Frontier[T]
) {
  private[this] val order: EventOrder[T] = gate.order
  private[this] val trail: Trail[T] = gate.trail
  private[this] val counter = new Counter[T]

  /** Those of the thread that used the source last. */
  private[this] var fingers: Fingers[T] = _
  private[this] var last: Node[T] = frontier.getPlain
  private[this] var added = 0L
  private[this] var limit = gate.capacity.toLong
  private[this] var open = true

  def name: String = frontier.name

  /** The last tuple delivered or promised; whatever comes must sort after it. Of a source that
    * was added while readers were reading, first the point up to which they may have read.
    */
  def promised: Option[T] = Option(last).map(_.tuple)

  /** The time of [[promised]]; the lowest if there is none. */
  private[scalegate] def promisedTime: Long = if (last == null) Long.MinValue else last.ts

  /** Delivers `tuple`; false when this source has `capacity` tuples in the gate that some reader
    * has not passed, or when the thread that is just making room has not finished. Should the order
    * throw, the tuple was not delivered, and may be delivered again. Lock-free.
    */
  def tryAdd(tuple: T): Boolean = canAdd(tuple) && {
    insert(tuple, order.ts(tuple))
    true
  }

  /** Whether [[tryAdd]] delivers `tuple`; throws what that throws. Once true it stays true until
    * this source delivers, advances or closes: others only make room.
    */
  def canAdd(tuple: T): Boolean = {
    val ts = checked(tuple)
    if (!isAbove(tuple, ts)) throw new OutOfOrderException(name, last.ts, ts)
    added < limit || hasRoom
  }

  /** Delivers `tuple`, idling while the source is full.
    *
    * @throws java.lang.InterruptedException
    *   if the thread is interrupted while it waits; the tuple was not delivered
    */
  def add(tuple: T, idle: IdleStrategy): Unit = {
    if (!tryAdd(tuple)) Waiting.forRoom(this, idle)(tryAdd(tuple))
    idle.reset()
  }

  /** Promises that this source delivers nothing that sorts at or before `punctuation` from now
    * on. Says nothing new, and does nothing, when `punctuation` is not above what was delivered
    * or promised. Never refused for want of room. Lock-free.
    */
  def advance(punctuation: T): Unit = {
    val ts = checked(punctuation)
    if (isAbove(punctuation, ts)) {
      ownFingers().moveTo(punctuation, ts)
      publish(Node.punctuation(order.key(punctuation), ts))
    }
  }

  /** No tuple comes from this source any more: it holds nothing back. Lock-free; a second call is
    * void.
    */
  def close(): Unit = if (open) {
    open = false
    fingers = null
    gate.remove(frontier)
  }

  override def toString: String = name

  private[this] def checked(tuple: T): Long = {
    if (tuple == null) throw new NullPointerException(s"$name delivered null")
    if (!open) throw new IllegalStateException(s"$name is closed")
    order.ts(tuple)
  }

  private[this] def isAbove(tuple: T, ts: Long): Boolean =
    last == null || last.precedes(tuple, ts, order)

  private[this] def hasRoom: Boolean = {
    limit = counter.getAcquire + gate.capacity
    added < limit || {
      trail.tryClean(settle = false)
      limit = counter.getAcquire + gate.capacity
      added < limit
    }
  }

  private[this] def insert(tuple: T, ts: Long): Unit = {
    val own = ownFingers()
    val node = new Node[T](tuple, ts, counter, own.randomHeight())
    own.insert(node, tuple)
    added += 1
    publish(node)
  }

  private[this] def ownFingers(): Fingers[T] = {
    val thread = Thread.currentThread
    if (fingers == null || (fingers.owner ne thread)) fingers = gate.fingersOf(thread)
    fingers
  }

  private[this] def publish(node: Node[T]): Unit = {
    last = node
    frontier.setRelease(node)
  }
}
