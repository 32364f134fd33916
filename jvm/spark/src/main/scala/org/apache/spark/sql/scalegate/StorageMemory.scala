package org.apache.spark.sql.scalegate

import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.SparkEnv
import org.apache.spark.memory.{MemoryManager, MemoryMode}
import org.apache.spark.storage.BroadcastBlockId

/** A part of the executor's memory for what outlives a task, taken from what Spark keeps cached blocks in. Spark makes
  * room by dropping such blocks, and leaves this alone until it is given back. Any thread.
  */
final class StorageMemory private (manager: MemoryManager, bytes: Long) {
  private[this] val held = new AtomicLong(bytes)

  /** Gives back what is more than this. */
  def shrinkTo(most: Long): Unit = {
    val before = held.getAndUpdate(now => math.min(now, most))
    if (before > most) manager.releaseStorageMemory(before - most, MemoryMode.ON_HEAP)
  }

  def release(): Unit = shrinkTo(0L)
}

object StorageMemory {

  /** None when there is not as much. */
  def reserve(bytes: Long): Option[StorageMemory] = {
    val manager = SparkEnv.get.memoryManager
    Option.when(manager.acquireStorageMemory(Owner, bytes, MemoryMode.ON_HEAP))(
      new StorageMemory(manager, bytes)
    )
  }

  /** For Spark's log. */
  private[this] val Owner = BroadcastBlockId(-1L, "scalegate_index")
}
