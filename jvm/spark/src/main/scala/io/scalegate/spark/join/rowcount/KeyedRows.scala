package io.scalegate.spark.join.rowcount

import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

import io.scalegate.spark.join.operator.TimedReader
import io.scalegate.stream.Side

/** One input as a cursor over its rows, which come in the order of their keys and, within a key, of their times. One
  * thread; it holds the current row alone.
  */
final class KeyedRows(
    rows: Iterator[UnsafeRow],
    keyOf: UnsafeProjection,
    reader: TimedReader
) {
  private[this] var current: UnsafeRow = _
  private[this] var currentKey: UnsafeRow = _
  private[this] var counted = false

  val side: Side = reader.side

  /** The columns of a row. */
  val columns: Int = reader.columns

  /** The banded attributes of the row that [[read]] read last, and one more that no row of the other side is within
    * where one of these is NULL.
    */
  val values = new Array[Long](reader.width)

  /** The row that the cursor stands on, null at the end; valid until [[advance]]. */
  def row: UnsafeRow = current

  /** Its key, valid as long. */
  def key: UnsafeRow = currentKey

  /** Whether it is counted in its key's window: it has a key and a time. */
  def isCounted: Boolean = counted

  /** The time of a row that does. */
  def time: Long = reader.time

  def advance(): Unit =
    if (rows.hasNext) {
      current = rows.next()
      currentKey = keyOf(current)
      counted = !currentKey.anyNull() && reader.readTime(current)
    } else current = null

  /** Reads the attributes of the current row; false when it matches nothing. */
  def read(): Boolean = reader.read(current, values)
}
