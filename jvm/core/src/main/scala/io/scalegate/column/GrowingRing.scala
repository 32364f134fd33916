package io.scalegate.column

/** The slots of a ring of a power-of-two capacity: an element is added behind all others, and the oldest leaves first.
  * The arrays belong to the class that extends this one. One thread at a time.
  *
  * @param initial
  *   the first capacity, a power of two
  */
abstract private[scalegate] class GrowingRing(initial: Int) {
  /*
   * Element `i`, from the oldest on, lies in slot `(head + i) & mask`, so a run of elements is at most two contiguous
   * runs of slots. A full ring doubles and is laid out from slot 0 again; an empty one starts over at slot 0, which
   * keeps few elements in one run.
   *
   *      slot   0   1   2   3   4   5   6   7
   *           [ e4  e5  e6  -   e0  e1  e2  e3 ]      head = 4, size = 7
   */
  private[this] var mask = initial - 1
  private[this] var headSlot = 0
  private[this] var count = 0

  /** Gives each array so many slots, by [[unrolled]]. */
  protected def resize(slots: Int): Unit

  final def size: Int = count

  final def isEmpty: Boolean = count == 0

  /** The number of slots, a power of two. */
  final def capacity: Int = mask + 1

  /** The slot of the oldest element. */
  final def head: Int = headSlot

  /** The slot of the i-th oldest element. */
  final def slot(i: Int): Int = (headSlot + i) & mask

  /** The slot of a new element, behind all others. */
  final protected def addSlot(): Int = {
    if (count > mask) grow()
    val at = (headSlot + count) & mask
    count += 1
    at
  }

  /** Takes the oldest element out. Not when empty. */
  final protected def removeHead(): Unit = {
    count -= 1
    headSlot = if (count == 0) 0 else (headSlot + 1) & mask
  }

  /** Takes all elements out. */
  final protected def removeAll(): Unit = {
    headSlot = 0
    count = 0
  }

  /** Forgets the references of all elements. */
  final protected def release(references: Array[AnyRef]): Unit = {
    val first = math.min(count, capacity - headSlot)
    java.util.Arrays.fill(references, headSlot, headSlot + first, null)
    java.util.Arrays.fill(references, 0, count - first, null)
  }

  /** The array `to`, with the elements of `from` from slot 0 on. For [[resize]]. */
  final protected def unrolled[A](from: A, to: A): A = {
    val first = capacity - headSlot
    System.arraycopy(from, headSlot, to, 0, first)
    System.arraycopy(from, 0, to, first, headSlot)
    to
  }

  private[this] def grow(): Unit = {
    val more = capacity * 2
    resize(more)
    headSlot = 0
    mask = more - 1
  }
}
