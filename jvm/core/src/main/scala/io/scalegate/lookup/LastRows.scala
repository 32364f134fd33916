package io.scalegate.lookup

import io.scalegate.band.AttributeType
import io.scalegate.column.{ColumnarWindow, WindowProbe}

/** One side's window of its last rows, for joins of inputs at rest whose rows come in order: rows enter one after
  * the other, and the oldest leaves when there are more than the window holds. What probes bound lies in columns. One
  * thread at a time.
  *
  * @param attributes
  *   the types of the attributes that probes bound
  * @param rows
  *   that the window holds at the most; of none it lets go of each row at once
  */
final class LastRows(attributes: IndexedSeq[AttributeType], rows: Long) {
  require(rows >= 0, s"a window cannot hold $rows rows")

  private[this] val window = new ColumnarWindow(attributes)
  private[this] val finder = new WindowProbe(window)

  /** Finds the rows whose attributes lie within `ranges`.
    *
    * @param ranges
    *   inclusive bounds, two for each attribute: the i-th lies in `[ranges(2i), ranges(2i + 1)]`
    * @return
    *   the number of candidates, oldest first
    */
  def probe(ranges: Array[Long]): Int = finder.search(0, window.size, ranges)

  /** The k-th row that the last probe found; valid until the window changes. */
  def candidate(k: Int): AnyRef = finder.row(k)

  /** Adds a row behind all others, and gives the one that leaves for it; null when there was room. */
  def add(values: Array[Long], row: AnyRef): AnyRef =
    if (rows == 0) row
    else {
      val oldest = if (window.size.toLong == rows) window.removeOldest() else null
      window.append(0L, values, row)
      oldest
    }

  /** Takes the oldest row out of the window; null when it is empty. */
  def removeOldest(): AnyRef = window.removeOldest()

  def size: Int = window.size

  /** The most rows that were in the window at once. */
  def peak: Int = window.peak

  /** Rows tested against a probe's ranges so far. */
  def comparisons: Long = finder.comparisons
}
