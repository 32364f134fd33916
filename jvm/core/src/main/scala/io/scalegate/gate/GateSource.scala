package io.scalegate.gate

import io.scalegate.stream.{EventOrder, IdleStrategy}

/** A source's handle on a [[ScaleGate]]: `addTuple` of ScaleJoin's Algorithm 2.
  *
  * A source delivers tuples in strictly rising order. One thread at a time may use a source; that thread
  * may feed other sources too, if it never waits in [[add]] for one while the readers wait for another
  * (deliver in merged order, and `advance` the others before waiting).
  */
final class GateSource[T <: AnyRef] private[gate] (
    private[gate] val gate: ScaleGate[T],
    frontier: Frontier[T],
    seed: Int
) {
  private[this] val order: EventOrder[T] = gate.order
  private[this] val trail: Trail[T] = gate.trail
  private[this] val counter = new Counter[T]

  /** Per level, a node that sorts before whatever this source may insert, as late as it was found:
    * `update` of Algorithm 2.
    */
  private[this] val fingers = Array.tabulate(Node.MaxHeight)(trail.node)
  private[this] var last: Node[T] = frontier.getPlain
  private[this] var added = 0L
  private[this] var limit = gate.capacity.toLong
  private[this] var random = seed
  private[this] var open = true

  def name: String = frontier.name

  /** The last tuple delivered or promised; whatever comes must sort after it. Of a source that was added
    * while readers were reading, first the point up to which they may have read.
    */
  def promised: Option[T] = Option(last).map(_.tuple)

  /** Delivers `tuple`; false when this source has `capacity` tuples in the gate that some reader has not
    * passed, or when the thread that is just making room has not finished. Lock-free.
    */
  def tryAdd(tuple: T): Boolean = {
    val ts = checked(tuple)
    if (!isAbove(tuple, ts)) throw new OutOfOrderException(name, last.ts, ts)
    (added < limit || hasRoom) && {
      insert(tuple, ts)
      true
    }
  }

  /** Delivers `tuple`, idling while the source is full.
    *
    * @throws java.lang.InterruptedException
    *   if the thread is interrupted while it waits; the tuple was not delivered
    */
  def add(tuple: T, idle: IdleStrategy): Unit = {
    while (!tryAdd(tuple)) {
      if (Thread.interrupted()) throw new InterruptedException(s"$name waited for room")
      idle.idle()
    }
    idle.reset()
  }

  /** Promises that this source delivers nothing that sorts at or before `punctuation` from now on. Says
    * nothing new, and does nothing, when `punctuation` is not above what was delivered or promised.
    * Never refused for want of room. Lock-free.
    */
  def advance(punctuation: T): Unit = {
    val ts = checked(punctuation)
    if (isAbove(punctuation, ts)) {
      seek(punctuation, ts)
      settle(0, fingers(0), punctuation, ts)
      publish(Node.punctuation(order.key(punctuation), ts))
    }
  }

  /** No tuple comes from this source any more: it holds nothing back. Lock-free; a second call is void. */
  def close(): Unit = if (open) {
    open = false
    java.util.Arrays.fill(fingers.asInstanceOf[Array[AnyRef]], null)
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
    val height = randomHeight()
    val node = new Node[T](tuple, ts, counter, height)
    seek(tuple, ts)
    var level = 0
    while (level < height) {
      link(level, node)
      level += 1
    }
    added += 1
    publish(node)
  }

  private[this] def publish(node: Node[T]): Unit = {
    last = node
    frontier.setRelease(node)
  }

  /** Moves the fingers of the upper levels to the last nodes that sort before the tuple, and that of
    * level 0 close: climbs while the finger's successor still sorts before it, then walks down.
    */
  private[this] def seek(tuple: T, ts: Long): Unit = {
    var level = 0
    while (level < Node.MaxHeight - 1 && lags(level, tuple, ts)) level += 1
    while (level > 0) {
      val from = fingers(level)
      settle(level, from, tuple, ts)
      level -= 1
      if (fingers(level + 1) ne from) fingers(level) = fingers(level + 1)
    }
  }

  private[this] def lags(level: Int, tuple: T, ts: Long): Boolean = {
    val finger = fingers(level)
    val next = finger.next(level)
    (next eq finger) || (next != null && next.precedes(tuple, ts, order))
  }

  private[this] def settle(level: Int, from: Node[T], tuple: T, ts: Long): Unit = {
    var node = from
    var next = node.next(level)
    while (next != null && ((next eq node) || next.precedes(tuple, ts, order))) {
      node = if (next eq node) trail.node(level) else next
      next = node.next(level)
    }
    fingers(level) = node
  }

  /** `levelinsert` of Algorithm 2. */
  private[this] def link(level: Int, node: Node[T]): Unit = {
    val tuple = node.tuple
    var linked = false
    while (!linked) {
      settle(level, fingers(level), tuple, node.ts)
      val before = fingers(level)
      val next = before.next(level)
      if (next == null || ((next ne before) && !next.precedes(tuple, node.ts, order))) {
        node.aim(level, next)
        linked = before.casNext(level, next, node)
      }
    }
    fingers(level) = node
  }

  private[this] def randomHeight(): Int = {
    random ^= random << 13
    random ^= random >>> 17
    random ^= random << 5
    math.min(Node.MaxHeight, 1 + Integer.numberOfTrailingZeros(random) / 2)
  }
}
