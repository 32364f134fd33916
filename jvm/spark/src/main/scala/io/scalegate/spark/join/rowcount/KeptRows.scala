package io.scalegate.spark.join.rowcount

import org.apache.spark.sql.catalyst.InternalRow

import io.scalegate.spark.rows.{RowSize, WindowMemory}
import io.scalegate.stream.StreamTuple

/** Accounts for the rows that the windows of a row-count join keep. One thread, the task's. It reserves memory before
  * more rows are kept; nothing is spilled.
  */
final class KeptRows(windowRows: Long, memory: WindowMemory) {
  private[this] var rows = 0L
  private[this] var bytes = 0L

  def add(t: StreamTuple): Unit = {
    rows += 1
    bytes += RowSize.inBytes(t.row.asInstanceOf[InternalRow])
    val kept = if (windowRows > rows / 2) rows else 2 * windowRows
    memory.reserve(kept, (kept.toDouble / rows * bytes).toLong)
  }
}
