package io.scalegate.spark.window.partial

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.ExprId

/** The partial results to which several plans of a task add rows. A plan's code is made and run without knowledge of
  * what lies above it, so it finds them by the task and a column that is theirs. Any thread; what a task shares goes
  * when it ends.
  */
private[scalegate] object SharedPanes {
  private[this] val shared = new ConcurrentHashMap[(TaskContext, ExprId), PartialPanes]

  /** Lets them be found until the running task ends.
    *
    * @param id
    *   of a column that is made for them
    */
  def share(id: ExprId, panes: PartialPanes): Unit = {
    val key = (TaskContext.get(), id)
    shared.put(key, panes)
    TaskContext.get().addTaskCompletionListener[Unit] { _ =>
      shared.remove(key)
      ()
    }
    ()
  }

  def find(id: ExprId): PartialPanes = {
    val found = shared.get((TaskContext.get(), id))
    if (found eq null)
      throw new IllegalStateException(s"the running task shares no partial results $id")
    found
  }
}
