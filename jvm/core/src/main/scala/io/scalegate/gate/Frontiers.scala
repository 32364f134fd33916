package io.scalegate.gate

import io.scalegate.stream.EventOrder

/** One reader's view of the sources' frontiers: a binary heap of the frontiers as last read, the
  * lowest on top. Frontiers only rise, so what was read is never too high, and only the lowest
  * has to be read again: until it has moved, the minimum cannot have.
  *
  * A frontier that has lost its tuple was passed by every reader. Among equal times it sorts
  * first and makes nothing ready, so the order in which two such stand does not matter.
  */
final private[gate] class Frontiers[T <: AnyRef](
    sources: Array[Frontier[T]],
    order: EventOrder[T]
) {
  private[this] val heap = sources.clone()
  private[this] val seen = new Array[Node[T]](heap.length)
  private[this] val times = Array.fill(heap.length)(Long.MinValue)

  /** The lowest frontier as last read; null when some source has neither delivered nor promised.
    */
  def lowest: Node[T] = if (heap.length == 0) null else seen(0)

  /** Reads the lowest frontier again until it is one that has not moved: then `next` is ready or
    * it is not. Goes on to the true minimum, once around at most, so that one call serves many
    * tuples.
    */
  def reach(next: Node[T]): Boolean = {
    var reads = 0
    var still = heap.length == 0
    while (!still && (reads < heap.length || !next.isWithin(lowest, order))) {
      val now = heap(0).getAcquire
      still = now eq seen(0)
      if (!still) sink(heap(0), now)
      reads += 1
    }
    next.isWithin(lowest, order)
  }

  /** Raises the lowest frontier to the true minimum, or until each was read once. */
  def settle(): Unit = {
    var reads = 0
    while (reads < heap.length) {
      val now = heap(0).getAcquire
      if (now eq seen(0)) reads = heap.length
      else {
        sink(heap(0), now)
        reads += 1
      }
    }
  }

  private[this] def sink(source: Frontier[T], node: Node[T]): Unit = {
    var hole = 0
    var child = lowerChild(0)
    while (child > 0 && isBefore(child, node)) {
      put(hole, heap(child), seen(child))
      hole = child
      child = lowerChild(hole)
    }
    put(hole, source, node)
  }

  private[this] def put(at: Int, source: Frontier[T], node: Node[T]): Unit = {
    heap(at) = source
    seen(at) = node
    times(at) = if (node == null) Long.MinValue else node.ts
  }

  /** The lower of the children; 0 when there is none. */
  private[this] def lowerChild(parent: Int): Int = {
    val left = 2 * parent + 1
    if (left >= heap.length) 0
    else if (left + 1 < heap.length && isBefore(left + 1, seen(left))) left + 1
    else left
  }

  private[this] def isBefore(at: Int, node: Node[T]): Boolean = {
    val time = if (node == null) Long.MinValue else node.ts
    if (times(at) != time) times(at) < time else isTieBefore(seen(at), node)
  }

  private[this] def isTieBefore(a: Node[T], b: Node[T]): Boolean = {
    val x = if (a == null) null.asInstanceOf[T] else a.tuple
    val y = if (b == null) null.asInstanceOf[T] else b.tuple
    y != null && (x == null || order.compareTies(x, y) < 0)
  }
}
