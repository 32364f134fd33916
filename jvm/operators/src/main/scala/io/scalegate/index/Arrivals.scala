package io.scalegate.index

/** The keys of a window's tuples in the order of their arrival, for an index that removes them
  * one by one: what leaves is found by its key. One thread at a time.
  */
final private[index] class Arrivals {
  private[this] var mask = 15
  private[this] var keys = new Array[Long](mask + 1)
  private[this] var positions = new Array[Long](mask + 1)
  private[this] var head = 0
  private[this] var count = 0

  def size: Int = count

  def bytes: Long = keys.length * 16L

  /** @throws java.lang.IllegalArgumentException
    *   if the position is not above the last one's
    */
  def add(key: Long, position: Long): Unit = {
    if (count > 0 && position <= positions((head + count - 1) & mask)) refuse(position)
    if (count > mask) grow()
    val at = (head + count) & mask
    keys(at) = key
    positions(at) = position
    count += 1
  }

  /** Whether the earliest tuple lies below `earliest`. */
  def hasExpired(earliest: Long): Boolean = count > 0 && positions(head) < earliest

  /** Takes out the earliest tuple and returns its key. */
  def removeFirst(): Long = {
    val key = keys(head)
    head = (head + 1) & mask
    count -= 1
    key
  }

  def clear(): Unit = {
    head = 0
    count = 0
  }

  private[this] def refuse(position: Long): Unit = {
    val before = positions((head + count - 1) & mask)
    throw new IllegalArgumentException(
      s"positions must rise: $position comes after $before; insert tuples in their window's order"
    )
  }

  private[this] def grow(): Unit = {
    keys = unrolled(keys)
    positions = unrolled(positions)
    head = 0
    mask = keys.length - 1
  }

  private[this] def unrolled(from: Array[Long]): Array[Long] = {
    val to = new Array[Long](from.length * 2)
    System.arraycopy(from, head, to, 0, from.length - head)
    System.arraycopy(from, 0, to, from.length - head, head)
    to
  }
}
