package io.scalegate.spark.join.stream.perkey

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.join.stream.state.ChunkKey
import io.scalegate.spark.rows.RowOrder

/** A row that is held with others of its key; nothing of it changes.
  *
  * @param batch
  *   in which it came
  * @param number
  *   its number among its side's rows of that batch: by both it is named in the checkpoint
  * @param row
  *   of its own, which keeps no other row's memory
  * @param time
  *   its event time, which is looked at far more often than the row
  * @param matched
  *   whether it has matched anything, on a side whose rows are decided on
  * @param isWritten
  *   whether the checkpoint has it
  * @param isMarked
  *   whether the checkpoint has it that it has matched
  */
final private[scalegate] case class KeyedRow(
    batch: Long,
    number: Int,
    row: UnsafeRow,
    time: Long,
    matched: Boolean = false,
    isWritten: Boolean = false,
    isMarked: Boolean = false
) {
  val bytes: Int = row.getSizeInBytes

  def key(kind: Int): ChunkKey = ChunkKey(kind, batch, number)
}

/** The order of a side's rows: by their times and, where these are equal, by their columns. */
final private[scalegate] class KeyedOrder(eventTime: Int, rowOrder: RowOrder)
    extends Ordering[KeyedRow] {
  def timeOf(row: UnsafeRow): Long = row.getLong(eventTime)

  val ofRows: Ordering[UnsafeRow] = (a, b) => {
    val byTime = timeOf(a).compareTo(timeOf(b))
    if (byTime != 0) byTime else rowOrder.compare(a, b)
  }

  def compare(a: KeyedRow, b: KeyedRow): Int = {
    val byTime = a.time.compareTo(b.time)
    if (byTime != 0) byTime else rowOrder.compare(a.row, b.row)
  }
}
