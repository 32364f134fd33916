package org.apache.spark.sql.scalegate

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.ExternalAppendOnlyUnsafeRowArray

/** Rows that the running task keeps in Spark's own memory for such, and on disk where that is short, to be read
  * over and over. They go when the task ends. One thread.
  */
final class SpillableRows {
  private[this] val rows = new ExternalAppendOnlyUnsafeRowArray(
    TaskContext.get().taskMemoryManager(),
    org.apache.spark.SparkEnv.get.blockManager,
    org.apache.spark.SparkEnv.get.serializerManager,
    TaskContext.get(),
    1024,
    TaskContext.get().taskMemoryManager().pageSizeBytes,
    0,
    0L,
    Int.MaxValue,
    Long.MaxValue
  )

  def size: Int = rows.length

  /** Keeps a copy of the row. */
  def add(row: UnsafeRow): Unit = rows.add(row)

  /** All of them, each valid until the next is asked for; none is added from then on. */
  def iterator: Iterator[UnsafeRow] = rows.generateIterator()
}
