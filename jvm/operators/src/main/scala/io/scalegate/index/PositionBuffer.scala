package io.scalegate.index

/** The positions that a search found: an array that grows and is reused. One thread at a time.
  */
final class PositionBuffer(initialCapacity: Int = 16) {
  import PositionBuffer._

  private[this] var positions = new Array[Long](math.max(1, initialCapacity))
  private[this] var count = 0
  private[this] var examined = 0L
  private[this] var slots = new Array[Int](0)

  def size: Int = count

  /** The i-th position, in the order of addition until [[sort]]. */
  def apply(i: Int): Long = positions(i)

  def add(position: Long): Unit = {
    if (count == positions.length) positions = java.util.Arrays.copyOf(positions, count * 2)
    positions(count) = position
    count += 1
  }

  /** Brings the positions into rising order: from the earliest tuple to the latest. */
  def sort(): Unit =
    if (count > Few) java.util.Arrays.sort(positions, 0, count)
    else {
      var i = 1
      while (i < count) {
        val position = positions(i)
        var hole = i
        while (hole > 0 && positions(hole - 1) > position) {
          positions(hole) = positions(hole - 1)
          hole -= 1
        }
        positions(hole) = position
        i += 1
      }
    }

  def clear(): Unit = {
    count = 0
    examined = 0
  }

  /** The tuples that searches have tested since [[clear]]: those whose key lay in the range. */
  def tested: Long = examined

  private[index] def addTested(tuples: Int): Unit = examined += tuples

  /** Room for so many numbers, for whoever fills this buffer. */
  private[index] def scratch(n: Int): Array[Int] = {
    if (slots.length < n) slots = new Array[Int](math.max(n, slots.length * 2))
    slots
  }
}

object PositionBuffer {

  /** Up to here insertion sort is ahead. */
  private val Few = 32
}
