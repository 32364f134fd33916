package io.scalegate.spark.join.batch

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.rows.AttributeReader

/** One side of a [[SweepJoinIterator]]: rows of one key in the order of the attribute that the window slides along. One
  * thread; it holds the current row alone.
  *
  * @param whole
  *   whether rows with a NULL in an attribute, which match nothing, are given too; else they are passed over
  */
final class SortedSide(
    rows: Iterator[UnsafeRow],
    val reader: AttributeReader,
    whole: Boolean
) {
  private[this] var currentRow: UnsafeRow = _
  private[this] var matchable = false

  def row: UnsafeRow = currentRow

  /** Whether the current row can match anything; only then it has attributes. */
  def usable: Boolean = matchable

  /** Moves to the next row; false at the end. */
  def advance(): Boolean = {
    var found = false
    while (!found && rows.hasNext) {
      currentRow = rows.next()
      matchable = reader.read(currentRow)
      found = matchable || whole
    }
    found
  }
}
