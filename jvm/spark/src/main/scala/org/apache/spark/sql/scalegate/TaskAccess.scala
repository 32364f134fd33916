package org.apache.spark.sql.scalegate

import org.apache.spark.TaskContext
import org.apache.spark.memory.TaskMemoryManager

/** What the package needs of Spark that Spark keeps to itself. */
object TaskAccess {
  def memoryManager(task: TaskContext): TaskMemoryManager = task.taskMemoryManager()

  /** Throws if the task was killed, for loops that wait. */
  def stopIfKilled(task: TaskContext): Unit = task.killTaskIfInterrupted()
}
