package io.scalegate.spark.join.operator

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.stream.StreamTuple

/** One input as tuples of a join's sources, in the order of its times. Rows without a time come before all others, and
  * have to be taken first. One thread, the task's; a tuple has a copy of its row.
  */
final class TimedRows(rows: Iterator[UnsafeRow], reader: TimedReader, val sources: DealtSources) {
  private[this] var seq = 0L

  /** The columns of a row. */
  val columns: Int = reader.columns

  /** The tuple that comes next, null at the end. */
  var head: StreamTuple = _

  /** Tuples so far. */
  def count: Long = seq

  /** The next row that has no time, valid until the next is asked for; null when [[head]] is the first that has. */
  def nextUntimed(): UnsafeRow = {
    val row = if (head == null && rows.hasNext) rows.next() else null
    if (row == null) null
    else if (reader.readTime(row)) {
      head = tuple(row)
      null
    } else row
  }

  def advance(): Unit = head = if (rows.hasNext) timed(rows.next()) else null

  private[this] def timed(row: UnsafeRow): StreamTuple =
    if (reader.readTime(row)) tuple(row)
    else throw new IllegalStateException("a row without a time comes after one that has one")

  private[this] def tuple(row: UnsafeRow): StreamTuple = {
    val attrs = new Array[Long](reader.width)
    reader.read(row, attrs)
    seq += 1
    new StreamTuple(reader.time, sources.next(reader.time), seq, reader.side, attrs, row.copy())
  }
}
