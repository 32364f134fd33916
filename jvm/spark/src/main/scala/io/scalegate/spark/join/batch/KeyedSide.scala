package io.scalegate.spark.join.batch

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.rows.AttributeReader

/** One side of a [[KeyGroupIterator]]: rows in the order of their key. One thread; it holds the current row alone.
  *
  * @param key
  *   reads the rows' keys
  * @param whole
  *   whether rows with a NULL in the key, which match nothing, are given too; else they are passed over
  */
final class KeyedSide(
    rows: Iterator[UnsafeRow],
    val key: GroupKey,
    val reader: AttributeReader,
    whole: Boolean
) {
  private[this] var currentRow: UnsafeRow = _
  private[this] var present = false

  def row: UnsafeRow = currentRow

  /** Whether the current row's key has no NULL. */
  def hasKey: Boolean = present

  /** Reads the current row's attributes, which most rows without a partner never need; false when one is NULL. */
  def read(): Boolean = reader.read(currentRow)

  /** Moves to the next row; false at the end. */
  def advance(): Boolean = {
    var found = false
    while (!found && rows.hasNext) {
      currentRow = rows.next()
      present = key.read(currentRow)
      found = present || whole
    }
    found
  }
}
