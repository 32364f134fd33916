package io.scalegate.gate

import java.util.concurrent.atomic.{AtomicReference, AtomicReferenceArray}

/** A winset's place in the list of a [[WHive]], and on levels of shortcuts above it. A link to itself is severed. Memory
  * order is the hive's.
  *
  * @param height
  *   on how many levels it is linked, the list among them
  */
final private[gate] class HiveNode[W <: AnyRef](
    val start: Long,
    var winset: W,
    val height: Int
) extends AtomicReference[HiveNode[W]] {
  private[this] val upper: AtomicReferenceArray[HiveNode[W]] =
    if (height > 1) new AtomicReferenceArray[HiveNode[W]](height - 1) else null

  def isDead: Boolean = getAcquire eq this

  /** The successor on a level above the list. */
  def next(level: Int): HiveNode[W] = upper.getAcquire(level - 1)

  /** Sets the link of a node that is not yet linked on the level. */
  def aim(level: Int, next: HiveNode[W]): Unit = upper.setPlain(level - 1, next)

  def casNext(level: Int, expected: HiveNode[W], node: HiveNode[W]): Boolean =
    upper.compareAndSet(level - 1, expected, node)

  def sever(level: Int): Unit = upper.setRelease(level - 1, this)
}

private[gate] object HiveNode {

  /** One node in four has a second level, one in sixteen a third, … */
  val MaxHeight = 6
}
