package org.apache.spark.sql.scalegate

import java.io.{
  BufferedInputStream,
  BufferedOutputStream,
  DataInputStream,
  DataOutputStream,
  FileInputStream,
  FileOutputStream,
  IOException
}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.{SparkEnv, TaskContext}

/** Rows that the running task keeps on disk, for want of memory, to be read over and over. They need no memory but the
  * buffers of one reader, however often they are read: the readers of Spark's own spilled rows stay until the task
  * ends. Compressed and encrypted as what Spark spills; they go when the task ends. One thread.
  *
  * @param columns
  *   of a row
  */
final class SpillableRows(columns: Int) {
  import SpillableRows._

  private[this] val task = TaskContext.get()
  private[this] val streams = SparkEnv.get.serializerManager
  private[this] val (block, file) =
    SparkEnv.get.blockManager.diskBlockManager.createTempLocalBlock()
  private[this] val written = new FileOutputStream(file)
  private[this] var out = new DataOutputStream(
    streams.wrapStream(block, new BufferedOutputStream(written, BufferBytes))
  )
  private[this] var in: DataInputStream = _ // of the last iterator
  private[this] var count = 0

  task.addTaskCompletionListener[Unit](_ => clear())

  def size: Int = count

  /** Keeps a copy of the row. */
  def add(row: UnsafeRow): Unit = {
    val bytes = row.getBytes
    out.writeInt(bytes.length)
    out.write(bytes)
    count = Math.addExact(count, 1)
  }

  /** Says that none is added any more, for the memory that writing takes to go. */
  def finish(): Unit = closeAll()

  /** All of them, each valid until the next is asked for; none is added from then on. The iterators before are of no
    * more use.
    */
  def iterator: Iterator[UnsafeRow] = {
    closeAll()
    val rows = new DataInputStream(
      streams.wrapStream(block, new BufferedInputStream(new FileInputStream(file), BufferBytes))
    )
    in = rows
    read(rows)
  }

  private[this] def read(rows: DataInputStream): Iterator[UnsafeRow] = {
    val row = new UnsafeRow(columns)
    var bytes = new Array[Byte](BufferBytes)
    Iterator.range(0, count).map { _ =>
      val size = rows.readInt()
      if (size > bytes.length)
        bytes = new Array[Byte](math.max(size, 2 * math.min(bytes.length, 1 << 29)))
      rows.readFully(bytes, 0, size)
      row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET.toLong, size)
      row
    }
  }

  /** Lets go of all rows, and of the file. */
  def clear(): Unit =
    try closeAll()
    catch { case _: IOException => () } // on a full disk: of rows that nobody wants any more
    finally {
      count = 0
      file.delete(): Unit
    }

  private[this] def closeAll(): Unit = {
    if (out != null) {
      val last = out
      out = null
      try last.close()
      finally written.close() // which a codec does not do that cannot write its last block
      task.taskMetrics().incDiskBytesSpilled(file.length)
    }
    if (in != null) in.close()
    in = null
  }
}

object SpillableRows {
  private val BufferBytes = 1 << 16

  /** A copy of rows that can be read once. */
  def copyOf(rows: Iterator[UnsafeRow], columns: Int): SpillableRows = {
    val kept = new SpillableRows(columns)
    rows.foreach(kept.add)
    kept
  }
}
