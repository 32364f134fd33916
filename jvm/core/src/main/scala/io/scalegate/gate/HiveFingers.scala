package io.scalegate.gate

import java.util.concurrent.atomic.AtomicReferenceArray

/** Where one thread of a W-Hive last stood on each level of shortcuts, the `update` array of multiway aggregation's §5.5.
  * Only that thread touches an instance.
  *
  * Progress and memory order are those of the hive, see [[WHive]].
  *
  * @param heads
  *   per level, the last winset that was taken of those that are linked there; level 0 is not looked at
  */
final private[gate] class HiveFingers[W <: AnyRef](heads: AtomicReferenceArray[HiveNode[W]]) {
  private[this] val fingers = Array.tabulate(HiveNode.MaxHeight)(heads.get)
  private[this] val heights = new Heights(HiveNode.MaxHeight)

  /** A height for a node. */
  def randomHeight(): Int = heights.next()

  /** The last node that shortcuts lead to before the winset that starts at `start`, if that is behind `from`; else `from`.
    * Climbs while the next node of a level lies before, then walks down.
    */
  def before(start: Long, from: HiveNode[W]): HiveNode[W] =
    if (!isBehind(from.getAcquire, from, start)) from
    else {
      var level = 1
      while (level < HiveNode.MaxHeight - 1 && lags(level, start)) level += 1
      var node = finger(level, start)
      while (level > 0) {
        val own = finger(level, start)
        node = settle(level, if (own.start > node.start) own else node, start)
        level -= 1
      }
      if (node.start > from.start || from.isDead) node else from
    }

  /** Links a node, which is linked at level 0, at the levels above. */
  def link(node: HiveNode[W]): Unit = {
    var level = 1
    while (level < node.height) {
      link(node, level)
      level += 1
    }
  }

  private[this] def link(node: HiveNode[W], level: Int): Unit = {
    var before = finger(level, node.start)
    var isLinked = false
    while (!isLinked) {
      before = settle(level, before, node.start)
      val next = before.next(level)
      if ((next ne before) && (next == null || next.start > node.start)) {
        node.aim(level, next)
        isLinked = before.casNext(level, next, node)
      }
    }
  }

  private[this] def lags(level: Int, start: Long) = {
    val node = finger(level, start)
    isBehind(node.next(level), node, start)
  }

  /** Whether there is more to pass on a level before the winset that starts at `start`. */
  private[this] def isBehind(next: HiveNode[W], node: HiveNode[W], start: Long) =
    next != null && ((next eq node) || next.start < start)

  /** A node of the level that lies before the winset that starts at `start`. */
  private[this] def finger(level: Int, start: Long) =
    if (fingers(level).start < start) fingers(level) else heads.getAcquire(level)

  /** Moves the finger to the last node of the level that lies before. */
  private[this] def settle(level: Int, from: HiveNode[W], start: Long): HiveNode[W] = {
    var node = from
    var next = node.next(level)
    while (isBehind(next, node, start)) {
      node = if (next eq node) heads.getAcquire(level) else next
      next = node.next(level)
    }
    fingers(level) = node
    node
  }
}
