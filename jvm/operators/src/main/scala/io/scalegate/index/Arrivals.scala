package io.scalegate.index

import io.scalegate.column.GrowingRing

/** The keys of a window's tuples in the order of their arrival, for an index that removes them
  * one by one: what leaves is found by its key. One thread at a time.
  */
final private[index] class Arrivals extends GrowingRing(Arrivals.Few) {
  private[this] var keys = new Array[Long](capacity)
  private[this] var positions = new Array[Long](capacity)

  def bytes: Long = keys.length * 16L

  /** @throws java.lang.IllegalArgumentException
    *   if the position is not above the last one's
    */
  def add(key: Long, position: Long): Unit = {
    if (!isEmpty && position <= positions(slot(size - 1))) refuse(position)
    val at = addSlot()
    keys(at) = key
    positions(at) = position
  }

  /** Whether the earliest tuple lies below `earliest`. */
  def hasExpired(earliest: Long): Boolean = !isEmpty && positions(head) < earliest

  /** Takes out the earliest tuple and returns its key. */
  def removeFirst(): Long = {
    val key = keys(head)
    removeHead()
    key
  }

  def clear(): Unit = removeAll()

  override protected def resize(slots: Int): Unit = {
    keys = unrolled(keys, new Array[Long](slots))
    positions = unrolled(positions, new Array[Long](slots))
  }

  private[this] def refuse(position: Long): Unit = {
    val before = positions(slot(size - 1))
    throw new IllegalArgumentException(
      s"positions must rise: $position comes after $before; insert tuples in their window's order"
    )
  }
}

private object Arrivals {
  private val Few = 16
}
