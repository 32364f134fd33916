package org.apache.spark.sql.scalegate

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.ExternalAppendOnlyUnsafeRowArray
import org.apache.spark.{SparkEnv, TaskContext}

/** Rows that the running task keeps in Spark's own memory for such, and on disk where that is short, to be read
  * over and over. They go when the task ends. One thread.
  *
  * @param mostBytes
  *   that lie in memory at once; rows that are there stay while they are read, whoever else needs the memory
  */
final class SpillableRows(mostBytes: Long = Long.MaxValue) {
  private[this] val rows = new ExternalAppendOnlyUnsafeRowArray(
    TaskContext.get().taskMemoryManager(),
    SparkEnv.get.blockManager,
    SparkEnv.get.serializerManager,
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

  /** What may lie in memory of rows that are kept for want of it: a task keeps up to three inputs and needs memory beside
    * them. Not less, for each time that it is full makes a file, and all files of an input are read at once.
    */
  def fewBytes: Long = {
    val env = SparkEnv.get
    val tasks = env.conf.getInt("spark.executor.cores", Runtime.getRuntime.availableProcessors)
    math.max(LeastBytes, env.memoryManager.maxOnHeapStorageMemory / math.max(1, tasks) / 4)
  }

  /** A copy of rows that can be read once. */
  def of(rows: Iterator[UnsafeRow]): SpillableRows = {
    val kept = new SpillableRows(fewBytes)
    rows.foreach(kept.add)
    kept
  }

  private[this] val LeastBytes = 1L << 20
}
