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
  *   the size at which `append` refuses, with a [[WindowLimitException]]
  * @param initialRows
  *   room for so many rows is made at once
  */
final class ColumnarWindow(
    attributes: IndexedSeq[AttributeType],
    maxRows: Int = ColumnarWindow.MostRows,
    initialRows: Int = ColumnarWindow.FewRows
) extends GrowingRing(ColumnarWindow.capacityFor(initialRows))
    with RingColumns {
  /*
   * `ints(i)` or `longs(i)` holds the i-th attribute, the other is null. A slot that no row
   * occupies keeps its old numbers, which nobody reads, but never its old row, which would keep a
   * payload alive.
   */
  import ColumnarWindow._

  private[this] val most = math.min(maxRows, MostRows)
  private[this] var highest = 0
  private[this] var positions = new Array[Long](capacity)
  private[this] var rows = new Array[AnyRef](capacity)
  private[this] val intColumns = new Array[Array[Int]](attributes.length)
  private[this] val longColumns = new Array[Array[Long]](attributes.length)

  for (i <- attributes.indices)
    if (attributes(i).bits == 32) intColumns(i) = new Array[Int](capacity)
    else longColumns(i) = new Array[Long](capacity)

  /** The most rows that were in the window at once. */
  def peak: Int = highest

  def width: Int = intColumns.length

  /** Adds a row behind all others and returns its slot, where [[set]] then writes its attributes.
    */
  def append(position: Long, row: AnyRef): Int = {
    if (size >= most) throw new WindowLimitException(size, most)
    val at = addSlot()
    positions(at) = position
    rows(at) = row
    if (size > highest) highest = size
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
  def expireBefore(earliest: Long): Unit =
    while (!isEmpty && positions(head) < earliest) {
      rows(head) = null
      removeHead()
    }

  /** Takes the oldest row out and gives it; null when there is none. */
  def removeOldest(): AnyRef =
    if (isEmpty) null
    else {
      val oldest = rows(head)
      rows(head) = null
      removeHead()
      oldest
    }

  /** How many of the oldest rows have a position of at most `latest`. */
  def countUpTo(latest: Long): Int =
    if (isEmpty || positions(slot(size - 1)) <= latest) size
    else {
      var low = 0
      var high = size - 1
      while (low < high) {
        val middle = (low + high) >>> 1
        if (positions(slot(middle)) <= latest) low = middle + 1 else high = middle
      }
      low
    }

  /** Drops all rows and keeps the arrays. */
  def clear(): Unit = {
    release(rows)
    removeAll()
  }

  def positionAt(slot: Int): Long = positions(slot)

  def rowAt(slot: Int): AnyRef = rows(slot)

  /** The positions, by slot. For probes only. */
  private[scalegate] def positionColumn: Array[Long] = positions

  private[scalegate] def ints(i: Int): Array[Int] = intColumns(i)

  private[scalegate] def longs(i: Int): Array[Long] = longColumns(i)

  override protected def resize(slots: Int): Unit = {
    for (i <- intColumns.indices)
      if (intColumns(i) != null) intColumns(i) = unrolled(intColumns(i), new Array[Int](slots))
      else longColumns(i) = unrolled(longColumns(i), new Array[Long](slots))
    positions = unrolled(positions, new Array[Long](slots))
    rows = unrolled(rows, new Array[AnyRef](slots))
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
