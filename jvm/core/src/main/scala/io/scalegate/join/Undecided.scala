package io.scalegate.join

import java.util.concurrent.ConcurrentLinkedQueue

import scala.collection.mutable

import io.scalegate.stream.{CountWindow, EventOrder, Side, StreamTuple, TimeWindow, Window}

/** The tuples of one side of a [[TypedJoin]], in their total order, until it is known whether they match. The
  * consumer's, but for [[TypedArrivals]].
  */
final private[join] class Undecided(window: Window, side: Side) {
  private[this] val sources = mutable.ArrayBuffer.empty[TypedArrivals]
  private[this] val waiting = mutable.ArrayDeque.empty[StreamTuple]

  /** Another source's tuples, before the join is under way. */
  def arrivals(): TypedArrivals = {
    sources += new TypedArrivals
    sources.last
  }

  /** Whether the first tuple can be decided.
    *
    * @param reached
    *   no pair before it is still to come, and every tuple before it has arrived
    * @param isEnd
    *   whether no pair is still to come at all
    */
  def isDue(reached: Long, isEnd: Boolean): Boolean = {
    settle(reached, isEnd)
    waiting.nonEmpty && (isEnd || deadline < reached)
  }

  /** The last time at which the first tuple can match; `Long.MaxValue` where that is not known. */
  def deadline: Long = window match {
    case w: TimeWindow => math.max(waiting.head.ts, w.latest(side, waiting.head.ts))
    case w: CountWindow =>
      val rows = w.rows(side)
      if (waiting.length > rows) waiting(rows.toInt).ts else Long.MaxValue
  }

  /** Whether this one's first tuple is decided before the other's. */
  def isBefore(other: Undecided): Boolean = {
    val c = java.lang.Long.compare(deadline, other.deadline)
    if (c != 0) c < 0 else EventOrder.Tuples.compare(first, other.first) < 0
  }

  def first: StreamTuple = waiting.head

  def take(): StreamTuple = waiting.removeHead()

  /** Puts the sources' tuples in order, as far as no other can come between. */
  private[this] def settle(reached: Long, isEnd: Boolean): Unit = {
    var next = lowest()
    while (next != null && (isEnd || next.head.ts < reached)) {
      waiting += next.head
      next.removeHead()
      next = lowest()
    }
  }

  private[this] def lowest(): TypedArrivals = {
    var low: TypedArrivals = null
    var i = 0
    while (i < sources.length) {
      val t = sources(i).head
      if (t != null && (low == null || EventOrder.Tuples.compare(t, low.head) < 0))
        low = sources(i)
      i += 1
    }
    low
  }
}

/** What the join has taken of one source: its thread adds, the consumer takes. */
final private[scalegate] class TypedArrivals {
  /*
   * A tuple is added before the join publishes it, so what the join has passed is here; and it is added when it is
   * certain that the join takes it, so nothing here is ever taken back.
   */
  private[this] val queue = new ConcurrentLinkedQueue[StreamTuple]

  def add(t: StreamTuple): Unit = {
    queue.add(t)
    ()
  }

  /** The first tuple; null if there is none. */
  def head: StreamTuple = queue.peek()

  def removeHead(): Unit = {
    queue.poll()
    ()
  }
}
