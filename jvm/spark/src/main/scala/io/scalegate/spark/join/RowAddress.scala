package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.rows.{RowStore, UnsafeRows}

/** Where one side's row of a pair lies: an object, and the offset in it. It is set anew for each pair. One thread. */
final class RowAddress(columns: Int) {
  private[this] val stored = new UnsafeRow(columns)
  private[this] val nulls = UnsafeRows.ofNulls(columns)
  private[this] var whole: UnsafeRow = _ // null where the row lies in a store
  private[this] var in: AnyRef = _
  private[this] var at = 0L

  def base: AnyRef = in
  def offset: Long = at

  /** Valid until the address is set again. */
  def row: UnsafeRow =
    if (whole != null) whole
    else {
      RowStore.point(stored, in, at)
      stored
    }

  /** Of a row in a `RowStore`. */
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

  /** To where another lies, which is set again after this one. */
  def set(other: RowAddress): Unit =
    if (other.isWhole) set(other.row) else set(other.base, other.offset)

  private def isWhole = whole != null

  def setNulls(): Unit = set(nulls)
}
