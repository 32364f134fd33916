package io.scalegate.gate

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
  private[this] var random = 0x9e3779b9

  /** A height for a node, geometrically distributed. */
  def randomHeight(): Int = {
    random ^= random << 13
    random ^= random >>> 17
    random ^= random << 5
    math.min(Node.MaxHeight, 1 + Integer.numberOfTrailingZeros(random) / 2)
  }

  /** Links the node at all its levels, lowest first. */
  def insert(node: Node[T], tuple: T): Unit = {
    seek(tuple, node.ts)
    val height = node.height
    var level = 0
    while (level < height) {
      link(level, node, tuple)
      level += 1
    }
  }

  /** Moves the fingers to the last nodes that sort before `tuple`, so that they keep no node
    * alive that sorts far before it.
    */
  def moveTo(tuple: T, ts: Long): Unit = {
    seek(tuple, ts)
    settle(0, fingers(0), tuple, ts)
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
  private[this] def link(level: Int, node: Node[T], tuple: T): Unit = {
    var before = fingers(level)
    var linked = false
    while (!linked) {
      val next = before.next(level)
      if (next != null && (next eq before)) before = trail.node(level)
      else if (next != null && next.precedes(tuple, node.ts, order)) before = next
      else {
        node.aim(level, next)
        linked = before.casNext(level, next, node)
      }
    }
    fingers(level) = node
  }
}
