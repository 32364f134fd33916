package io.scalegate.spark.exec

import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeRow}

/** A task's joined pairs of rows, each told by where its two rows lie, one side's being a row of NULLs where it
  * matches nothing. Of a join that gives the rows of one side only, the other is not to be asked for. One thread.
  */
abstract class PlacedPairs(val leftPlace: RowPlace, val rightPlace: RowPlace)
    extends Iterator[JoinedRow] {
  private[this] val pair = new JoinedRow
  private[this] var ready = false

  /** Moves to the next pair, if there is one. */
  def advance(): Boolean

  /** In what the left row lies; like all below valid until the next. */
  final def leftBase: AnyRef = leftPlace.base

  /** Where in it. */
  final def leftOffset: Long = leftPlace.offset

  final def left: UnsafeRow = leftPlace.row

  final def rightBase: AnyRef = rightPlace.base

  final def rightOffset: Long = rightPlace.offset

  final def right: UnsafeRow = rightPlace.row

  /** The pair that [[next]] gives is valid until the next call of this. */
  final def hasNext: Boolean = {
    ready = ready || advance()
    ready
  }

  final def next(): JoinedRow = {
    take()
    pair(left, right)
  }

  /** Takes the next pair, as [[next]] does, and makes nothing of it. */
  final def take(): Unit = {
    if (!hasNext) throw new NoSuchElementException("the join has no more rows")
    ready = false
  }
}

/** Where one row of a pair lies. As long as the pairs are read another row lies elsewhere. One thread. */
final class RowPlace(columns: Int) {
  private[this] val stored = new UnsafeRow(columns)
  private[this] val nulls = UnsafeRows.ofNulls(columns)
  private[this] var whole: UnsafeRow = _ // null where the row lies in a store
  private[this] var in: AnyRef = _
  private[this] var at = 0L

  def base: AnyRef = in
  def offset: Long = at

  /** Valid until the place is another. */
  def row: UnsafeRow =
    if (whole != null) whole
    else {
      RowStore.point(stored, in, at)
      stored
    }

  /** Of a row in a [[RowStore]]. */
  def set(base: AnyRef, offset: Long): Unit = {
    whole = null
    in = base
    at = offset
  }

  def set(row: UnsafeRow): Unit = {
    whole = row
    in = row.getBaseObject
    at = row.getBaseOffset
  }

  def setNulls(): Unit = set(nulls)
}
