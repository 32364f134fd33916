package org.apache.spark.sql.scalegate

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.ExternalAppendOnlyUnsafeRowArray

/** Rows that the running task keeps in Spark's own memory for such, and on disk where that is short, to be read
  * over and over. They go when the task ends. One thread.
  *
  * @param mostBytes
  *   that lie in memory at once; rows that are there stay while they are read, whoever else needs the memory
  */
final class SpillableRows(mostBytes: Long = Long.MaxValue) {
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
    mostBytes
  )

  def size: Int = rows.length

  /** Keeps a copy of the row. */
  def add(row: UnsafeRow): Unit = rows.add(row)

  /** All of them, each valid until the next is asked for; none is added from then on. */
  def iterator: Iterator[UnsafeRow] = rows.generateIterator()

  /** Lets go of all rows; those of an iterator among them. */
  def clear(): Unit = rows.clear()
}

object SpillableRows {

  /** What lies in memory of rows that are kept for want of it. */
  val FewBytes: Long = 8L << 20

  /** A copy of rows that can be read once. */
  def of(rows: Iterator[UnsafeRow]): SpillableRows = {
    val kept = new SpillableRows(FewBytes)
    rows.foreach(kept.add)
    kept
  }
}
