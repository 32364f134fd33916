package io.scalegate.spark.rows

import org.apache.spark.TaskContext
import org.apache.spark.memory.{MemoryConsumer, MemoryMode, TaskMemoryManager}
import org.apache.spark.sql.scalegate.TaskAccess

import io.scalegate.spark.settings.Errors

/** Keeps a task's windows within the memory that Spark grants the task. One thread, the task's.
  *
  * Windows are not spilled: a grant that falls short ends the query with an error that says what to change, before the
  * JVM runs out.
  */
final class WindowMemory(manager: TaskMemoryManager)
    extends MemoryConsumer(manager, manager.pageSizeBytes, MemoryMode.ON_HEAP) {
  import WindowMemory._

  private[this] var granted = 0L

  override def spill(size: Long, trigger: MemoryConsumer): Long = 0L

  /** Makes sure of room for a window of `rows` rows that hold `bytes` bytes altogether. */
  def reserve(rows: Long, bytes: Long): Unit =
    if (!tryReserve(rows, bytes)) throw Errors.windowTooLarge(rows, bytes + rows * RowOverhead)

  /** The same; false when there is no room. */
  def tryReserve(rows: Long, bytes: Long): Boolean = {
    val needed = bytes + rows * RowOverhead
    if (needed > granted) granted += acquireMemory(math.max(needed - granted, Step))
    needed <= granted
  }

  /** Gives back what is granted beyond `bytes` bytes. */
  def shrink(bytes: Long): Unit = if (granted > bytes) {
    freeMemory(granted - bytes)
    granted = bytes
  }

  def release(): Unit = shrink(0L)
}

object WindowMemory {

  /** The windows' memory of the running task; it goes back when the task ends. */
  def ofTask(context: TaskContext): WindowMemory = {
    val memory = new WindowMemory(TaskAccess.memoryManager(context))
    context.addTaskCompletionListener[Unit](_ => memory.release())
    memory
  }

  private val Step = 1L << 20

  /** The objects around a kept row, and its entry in the window's columns. */
  private val RowOverhead = 96L
}
