package io.scalegate.gate

import java.util.concurrent.atomic.{AtomicReference, AtomicReferenceArray}

import io.scalegate.stream.EventOrder

/** A tuple's place in the gate's sorted list, with shortcuts (ScaleJoin §V-C, `Node` of Algorithm
  * 2).
  *
  * The inherited reference is the successor at level 0. The end of a level is null; a link that
  * points at its own node is severed: every reader has passed the node and whoever still stands
  * on it starts again from the [[Trail]].
  *
  * @param tuple
  *   plain: written before the node is linked, then only by the [[Trail]], which sets it to null or
  *   to a payload-free key once every reader has passed the node
  * @param ts
  *   the tuple's time, so that most comparisons touch nothing but the node
  * @param counter
  *   where the tuple is counted when it leaves the gate; null in a punctuation, which is never
  *   linked
  */
final private[gate] class Node[T <: AnyRef](
    var tuple: T,
    val ts: Long,
    val counter: Counter[T],
    levels: Int
) extends AtomicReference[Node[T]] {
  private[this] val upper: AtomicReferenceArray[Node[T]] =
    if (levels > 1) new AtomicReferenceArray[Node[T]](levels - 1) else null

  /** At how many levels it is linked once it is published: its source lowers it before, where it
    * leaves out shortcuts. Plain, as the tuple is.
    */
  var height: Int = levels

  def next(level: Int): Node[T] =
    if (level == 0) getAcquire else upper.getAcquire(level - 1)

  /** Sets the link of a node that is not yet linked at `level`. */
  def aim(level: Int, next: Node[T]): Unit =
    if (level == 0) setPlain(next) else upper.setPlain(level - 1, next)

  def casNext(level: Int, expected: Node[T], node: Node[T]): Boolean =
    if (level == 0) compareAndSet(expected, node)
    else upper.compareAndSet(level - 1, expected, node)

  def sever(level: Int): Unit =
    if (level == 0) setRelease(this) else upper.setRelease(level - 1, this)

  /** Whether every reader has passed this node, which so sorts before whatever may come. */
  def isCleared: Boolean = tuple == null

  /** Whether this node sorts before a tuple that a source is about to insert or promise. A
    * cleared node does: no source may deliver what sorts before a tuple that a reader has passed.
    */
  def precedes(t: T, time: Long, order: EventOrder[T]): Boolean =
    ts < time || (ts == time && {
      val mine = tuple
      mine == null || order.compareTies(mine, t) < 0
    })

  /** Whether a reader that has not passed this node may when `frontier` is the lowest; null: none
    * yet. Not when the frontier is cleared: this reader has passed that one.
    */
  def isWithin(frontier: Node[T], order: EventOrder[T]): Boolean =
    frontier != null && (ts < frontier.ts || (ts == frontier.ts && {
      val key = frontier.tuple
      key != null && order.compareTies(tuple, key) <= 0
    }))
}

private[gate] object Node {

  /** One node in four has a second level, one in sixteen a third, … */
  val MaxHeight = 6

  /** The list's first node, before every tuple. */
  def sentinel[T <: AnyRef](): Node[T] =
    new Node[T](null.asInstanceOf[T], Long.MinValue, null, MaxHeight)

  def punctuation[T <: AnyRef](key: T, ts: Long): Node[T] = new Node[T](key, ts, null, 1)
}
