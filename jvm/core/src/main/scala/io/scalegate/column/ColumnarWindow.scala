package io.scalegate.column

import io.scalegate.band.AttributeType

/** One stream's window, or one thread's share of it, as columns: what a probe compares lies in
  * primitive arrays, and a row is touched only when it is a candidate.
  *
  * Rows are appended in rising order of `position` (an event time, a row's ordinal in its stream,
  * or any other sorted attribute) and leave from the other end. One thread at a time.
  *
  * @param attributes
  *   the types of the columns beside the position; 32-bit types take an `Int` column
  * @param maxRows
  *   the size at which [[append]] refuses, with a [[WindowLimitException]]
  * @param initialRows
  *   room for so many rows is made at once
  */
final class ColumnarWindow(
    attributes: IndexedSeq[AttributeType],
    maxRows: Int = ColumnarWindow.MostRows,
    initialRows: Int = ColumnarWindow.FewRows
) extends RingColumns {
  /*
   * A ring of a power-of-two capacity: row `i` of the window lies in slot `(head + i) & mask` of
   * every column, so a run of rows is at most two contiguous runs of slots. A full ring doubles
   * and is laid out from slot 0 again; an empty one starts over at slot 0, which keeps small
   * windows in one run.
   *
   *      slot   0   1   2   3   4   5   6   7
   *           [ r4  r5  r6  -   r0  r1  r2  r3 ]      head = 4, size = 7
   *
   * `ints(i)` or `longs(i)` holds the i-th attribute, the other is null. A slot that no row
   * occupies keeps its old numbers, which nobody reads, but never its old row, which would keep a
   * payload alive.
   */
  import ColumnarWindow._

  private[this] val initial = ColumnarWindow.capacityFor(initialRows)
  private[this] var mask = initial - 1
  private[this] var headSlot = 0
  private[this] var rowCount = 0
  private[this] var highest = 0
  private[this] var positions = new Array[Long](initial)
  private[this] var rows = new Array[AnyRef](initial)
  private[this] val intColumns = new Array[Array[Int]](attributes.length)
  private[this] val longColumns = new Array[Array[Long]](attributes.length)

  for (i <- attributes.indices)
    if (attributes(i).bits == 32) intColumns(i) = new Array[Int](initial)
    else longColumns(i) = new Array[Long](initial)

  def size: Int = rowCount

  def isEmpty: Boolean = rowCount == 0

  /** The most rows that were in the window at once. */
  def peak: Int = highest

  def width: Int = intColumns.length

  /** Adds a row behind all others and returns its slot, where [[set]] then writes its attributes.
    */
  def append(position: Long, row: AnyRef): Int = {
    if (rowCount > mask || rowCount >= maxRows) grow()
    val at = (headSlot + rowCount) & mask
    positions(at) = position
    rows(at) = row
    rowCount += 1
    if (rowCount > highest) highest = rowCount
    at
  }

  /** Writes the i-th attribute of the row in slot `at`. */
  def set(at: Int, i: Int, value: Long): Unit = {
    val ints = intColumns(i)
    if (ints != null) ints(at) = value.toInt else longColumns(i)(at) = value
  }

  /** Adds a row with all its attributes. */
  def append(position: Long, values: Array[Long], row: AnyRef): Unit = {
    val at = append(position, row)
    var i = 0
    while (i < intColumns.length) {
      set(at, i, values(i))
      i += 1
    }
  }

  /** Drops every row whose position is below `earliest`. */
  def expireBefore(earliest: Long): Unit = {
    while (rowCount > 0 && positions(headSlot) < earliest) {
      rows(headSlot) = null
      headSlot = (headSlot + 1) & mask
      rowCount -= 1
    }
    if (rowCount == 0) headSlot = 0
  }

  /** Takes the oldest row out and gives it; null when there is none. */
  def removeOldest(): AnyRef =
    if (rowCount == 0) null
    else {
      val oldest = rows(headSlot)
      rows(headSlot) = null
      headSlot = (headSlot + 1) & mask
      rowCount -= 1
      oldest
    }

  /** How many of the oldest rows have a position of at most `latest`. */
  def countUpTo(latest: Long): Int =
    if (rowCount == 0 || positions(slot(rowCount - 1)) <= latest) rowCount
    else {
      var low = 0
      var high = rowCount - 1
      while (low < high) {
        val middle = (low + high) >>> 1
        if (positions(slot(middle)) <= latest) low = middle + 1 else high = middle
      }
      low
    }

  /** Drops all rows and keeps the arrays. */
  def clear(): Unit = {
    val first = math.min(rowCount, mask + 1 - headSlot)
    java.util.Arrays.fill(rows, headSlot, headSlot + first, null)
    java.util.Arrays.fill(rows, 0, rowCount - first, null)
    headSlot = 0
    rowCount = 0
  }

  def slot(i: Int): Int = (headSlot + i) & mask

  def head: Int = headSlot

  def capacity: Int = mask + 1

  def positionAt(slot: Int): Long = positions(slot)

  def rowAt(slot: Int): AnyRef = rows(slot)

  /** The positions, by slot. For probes only. */
  private[scalegate] def positionColumn: Array[Long] = positions

  private[scalegate] def ints(i: Int): Array[Int] = intColumns(i)

  private[scalegate] def longs(i: Int): Array[Long] = longColumns(i)

  private[this] def grow(): Unit = {
    if (rowCount >= math.min(maxRows, MostRows))
      throw new WindowLimitException(rowCount, math.min(maxRows, MostRows))
    val capacity = (mask + 1) * 2
    for (i <- intColumns.indices)
      if (intColumns(i) != null) intColumns(i) = unrolled(intColumns(i), new Array[Int](capacity))
      else longColumns(i) = unrolled(longColumns(i), new Array[Long](capacity))
    positions = unrolled(positions, new Array[Long](capacity))
    rows = unrolled(rows, new Array[AnyRef](capacity))
    headSlot = 0
    mask = capacity - 1
  }

  private[this] def unrolled[A](from: A, to: A): A = {
    val first = mask + 1 - headSlot
    System.arraycopy(from, headSlot, to, 0, first)
    System.arraycopy(from, 0, to, first, headSlot)
    to
  }
}

object ColumnarWindow {

  /** The most rows that one window can hold, whatever the memory. */
  val MostRows: Int = 1 << 30

  private val FewRows = 16

  /** The power of two that holds so many rows. */
  private def capacityFor(rows: Int): Int =
    Integer.highestOneBit(math.min(math.max(rows, FewRows), MostRows) * 2 - 1)
}
