package io.scalegate.gate

import scala.annotation.tailrec

import io.scalegate.stream.EventOrder

/** Where one thread last inserted, per level: `update`, the thread-local variable of ScaleJoin's
  * Algorithm 2. A search starts there, so that a tuple that goes near the thread's previous one,
  * of whatever source, is placed in a few steps; one that goes before it starts from the
  * [[Trail]].
  *
  * Only `owner` touches an instance. Each finger sorts at or before the one of level 0.
  */
final private[gate] class Fingers[T <: AnyRef](
    val owner: Thread,
    trail: Trail[T],
    order: EventOrder[T]
) {
  private[this] val fingers = Array.tabulate(Node.MaxHeight)(trail.node)

  /** While a node is placed: what the order said comes behind it, per level; null: nothing. */
  private[this] val successors = new Array[Node[T]](Node.MaxHeight)
  private[this] val heights = new Heights(Node.MaxHeight)

  /** A height for a node. */
  def randomHeight(): Int = heights.next()

  /** Links the node at all its levels, lowest first. The order is asked before the node is linked
    * anywhere, so one that fails leaves the gate as it was. The levels above 0 then go by what it
    * said and by times; where that leaves a tie undecided, with a node that came meanwhile, the
    * node stays lower than it was to be.
    */
  def insert(node: Node[T], tuple: T): Unit = {
    val height = node.height
    try {
      seek(tuple, node.ts)
      var level = height - 1
      while (level > 0) {
        successors(level) = settle(level, fingers(level), tuple, node.ts)
        level -= 1
      }
      link(node, tuple)
    } catch {
      case e: Throwable => startAgain(e)
    }
    var level = 1
    while (level < height && linkAbove(level, fingers(level), node)) level += 1
    if (level < height) node.height = level
  }

  /** Moves the fingers to the last nodes that sort before `tuple`, so that they keep no node
    * alive that sorts far before it.
    */
  def moveTo(tuple: T, ts: Long): Unit =
    try {
      seek(tuple, ts)
      settle(0, fingers(0), tuple, ts)
      ()
    } catch {
      case e: Throwable => startAgain(e)
    }

  /** Some fingers have moved and level 0's has not: they may sort behind it, and what is placed
    * next before them.
    */
  private[this] def startAgain(failure: Throwable): Nothing = {
    reset()
    throw failure
  }

  /** Climbs while the finger's successor still sorts before the tuple, then walks down; leaves
    * level 0 to be settled.
    */
  private[this] def seek(tuple: T, ts: Long): Unit = {
    if (!fingers(0).precedes(tuple, ts, order)) reset()
    var level = 0
    while (level < Node.MaxHeight - 1 && lags(level, tuple, ts)) level += 1
    while (level > 0) {
      val from = fingers(level)
      settle(level, from, tuple, ts)
      level -= 1
      if (fingers(level + 1) ne from) fingers(level) = fingers(level + 1)
    }
  }

  private[this] def reset(): Unit = {
    var level = 0
    while (level < Node.MaxHeight) {
      fingers(level) = trail.node(level)
      level += 1
    }
  }

  private[this] def lags(level: Int, tuple: T, ts: Long): Boolean = {
    val finger = fingers(level)
    val next = finger.next(level)
    next != null && ((next eq finger) || next.precedes(tuple, ts, order))
  }

  /** Moves the finger to the last node that sorts before the tuple; the node behind that one. */
  private[this] def settle(level: Int, from: Node[T], tuple: T, ts: Long): Node[T] = {
    var node = from
    var next = node.next(level)
    while (next != null && ((next eq node) || next.precedes(tuple, ts, order))) {
      node = if (next eq node) trail.node(level) else next
      next = node.next(level)
    }
    fingers(level) = node
    next
  }

  /** `levelinsert` of Algorithm 2, at level 0. */
  private[this] def link(node: Node[T], tuple: T): Unit = {
    var before = fingers(0)
    var linked = false
    while (!linked) {
      val next = before.next(0)
      if (next != null && (next eq before)) before = trail.node(0)
      else if (next != null && next.precedes(tuple, node.ts, order)) before = next
      else {
        node.aim(0, next)
        linked = before.casNext(0, next, node)
      }
    }
    fingers(0) = node
  }

  /** The same at a level above, without the order; false where only that could tell the place. */
  @tailrec
  private[this] def linkAbove(level: Int, before: Node[T], node: Node[T]): Boolean = {
    val next = before.next(level)
    if (next != null && (next eq before)) linkAbove(level, trail.node(level), node)
    else if (next == null || (next eq successors(level)) || next.ts > node.ts) {
      node.aim(level, next)
      if (before.casNext(level, next, node)) {
        fingers(level) = node
        true
      } else linkAbove(level, before, node)
    } else if (next.ts < node.ts || next.isCleared) linkAbove(level, next, node)
    else {
      node.aim(level, null) // a try that failed may have left what this node would keep alive
      false
    }
  }
}
