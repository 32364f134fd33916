package io.scalegate.multiway

import java.util.ArrayDeque
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicLong

import io.scalegate.stream.{EventOrder, StreamTuple}

/** The queue of one input in MQ and MQLF (multiway aggregation, §3, §7). The input's thread
  * offers, promises and closes, the consumer looks and removes.
  */
abstract private[scalegate] class InputQueue(id: Int, capacity: Int) {
  /*
   * What is delivered is in the queue before it is published as promised, and the consumer reads
   * the promise before it looks: if it then finds the queue empty, it has had everything up to
   * that promise. A tuple may be removed before it is published; then it is the promise, so that
   * promises never fall. A queue is closed after its last tuple was put in, and asked in that
   * order too.
   */
  @volatile private[this] var lastPromised: StreamTuple = _
  @volatile private[this] var closed = false
  private[this] val order = new InputOrder(id)
  private[this] val removed = new AtomicLong
  private[this] var added = 0L
  private[this] var lastRemoved: StreamTuple = _ // the consumer's

  protected def put(t: StreamTuple): Unit

  /** The first tuple; null when there is none. */
  def peek(): StreamTuple

  protected def removeFirst(): StreamTuple

  /** False when the queue is full. */
  final def offer(t: StreamTuple): Boolean = {
    order.check(t)
    added - removed.getAcquire < capacity && {
      put(t)
      added += 1
      order.delivered(t)
      lastPromised = t
      true
    }
  }

  final def promise(ts: Long): Unit =
    if (order.promise(ts)) lastPromised = StreamTuple.punctuation(ts, id)

  final def close(): Unit = {
    order.close()
    closed = true
  }

  /** What sorts at or before it does not come any more; null: nothing is promised. The consumer's.
    */
  final def promised: StreamTuple = {
    val published = lastPromised
    val isLate = lastRemoved != null &&
      (published == null || EventOrder.Tuples.compare(published, lastRemoved) < 0)
    if (isLate) lastRemoved else published
  }

  final def isClosed: Boolean = closed

  final def remove(): StreamTuple = {
    val t = removeFirst()
    lastRemoved = t
    removed.setRelease(removed.getPlain + 1)
    t
  }
}

/** A queue under a lock. */
final private[scalegate] class LockedQueue(id: Int, capacity: Int)
    extends InputQueue(id, capacity) {
  private[this] val queue = new ArrayDeque[StreamTuple]

  protected def put(t: StreamTuple): Unit = queue.synchronized(queue.addLast(t))
  def peek(): StreamTuple = queue.synchronized(queue.peekFirst())
  protected def removeFirst(): StreamTuple = queue.synchronized(queue.pollFirst())
}

/** Michael and Scott's lock-free queue, which is what the JDK's `ConcurrentLinkedQueue` is. */
final private[scalegate] class LockFreeQueue(id: Int, capacity: Int)
    extends InputQueue(id, capacity) {
  private[this] val queue = new ConcurrentLinkedQueue[StreamTuple]

  protected def put(t: StreamTuple): Unit = queue.add(t)
  def peek(): StreamTuple = queue.peek()
  protected def removeFirst(): StreamTuple = queue.poll()
}

/** Merges queues by looking at the first tuple of each (multiway aggregation, Algorithm 2, L5-7):
  * its cost is linear in the number of inputs.
  */
final private[scalegate] class QueueMerge(queues: Array[_ <: InputQueue]) extends TupleMerge {
  private[this] val order = EventOrder.Tuples
  private[this] var first: InputQueue = _ // whose tuple sorts first; null: all are empty
  private[this] var firstTuple: StreamTuple = _
  private[this] var isHeld = false // by an input that has neither a tuple nor a promise
  private[this] var bound: StreamTuple = _ // the lowest promise of the empty queues
  private[this] var allClosed = false

  def next(): StreamTuple = {
    look()
    val isReady = firstTuple != null && !isHeld &&
      (bound == null || order.compare(firstTuple, bound) <= 0)
    if (isReady) first.remove() else null
  }

  def horizon(): Long = {
    look()
    if (isHeld) Long.MinValue
    else math.min(timeOf(firstTuple), timeOf(bound))
  }

  def isDone: Boolean = {
    look()
    allClosed && firstTuple == null
  }

  private[this] def timeOf(t: StreamTuple): Long = if (t == null) Long.MaxValue else t.ts

  private[this] def look(): Unit = {
    first = null
    firstTuple = null
    isHeld = false
    bound = null
    allClosed = true
    var i = 0
    while (i < queues.length) {
      lookAt(queues(i))
      i += 1
    }
  }

  private[this] def lookAt(queue: InputQueue): Unit = {
    val closed = queue.isClosed
    val promised = queue.promised
    val t = queue.peek()
    if (!closed) allClosed = false
    if (t != null) {
      if (firstTuple == null || order.compare(t, firstTuple) < 0) {
        first = queue
        firstTuple = t
      }
    } else if (!closed) {
      if (promised == null) isHeld = true
      else if (bound == null || order.compare(promised, bound) < 0) bound = promised
    }
  }
}
