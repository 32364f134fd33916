package org.apache.spark.sql.scalegate

import org.apache.spark.TaskContext

/** A task of no stage, for what asks for one. */
object EmptyTask {
  def apply(): TaskContext = TaskContext.empty()

  /** What a task does, on this thread, until its end. */
  def run[A](body: => A): A = {
    val task = TaskContext.empty()
    TaskContext.setTaskContext(task)
    try body
    finally {
      TaskContext.unset()
      task.markTaskCompleted(None)
    }
  }
}
