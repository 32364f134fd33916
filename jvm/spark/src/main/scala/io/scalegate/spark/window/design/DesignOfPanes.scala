package io.scalegate.spark.window.design

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.multiway.RunningAggregate
import io.scalegate.spark.settings.NamedDesign
import io.scalegate.spark.window.slide.{PaneReader, PaneWindowsTask}

/** Windows of a stream's panes by a design of the paper on T-Gate and W-Hive: its tuples are panes, at the times of their
  * starts, which lie in the windows that their rows lie in.
  */
private[window] object DesignOfPanes {

  /** The windows of a batch's panes; the end of the task closes the design. */
  def apply(
      partition: Int,
      panes: PaneReader,
      task: PaneWindowsTask,
      design: NamedDesign,
      among: Long => Boolean
  ): DesignIterator = {
    val made = new DesignIterator(
      new PaneTuples(panes, task.by),
      open(partition, task, design, design.inputs),
      results(partition, task),
      TaskContext.get(),
      among
    )
    TaskContext.get().addTaskCompletionListener[Unit](_ => made.close())
    made
  }

  /** A design over panes, which the caller closes. */
  def open(
      partition: Int,
      task: PaneWindowsTask,
      design: NamedDesign,
      inputs: Int
  ): RunningAggregate[UnsafeRow, UnsafeRow] = {
    val function = DesignFunction.ofPanes(partition, task.functions, design.callers)
    design.strategy.open(DesignTask.spec(task.by, function), inputs)
  }

  /** What makes the rows of its windows. */
  def results(partition: Int, task: PaneWindowsTask): DesignResults =
    new DesignResults(partition, task.by, task.keys, task.window, task.functions, task.having)
}
