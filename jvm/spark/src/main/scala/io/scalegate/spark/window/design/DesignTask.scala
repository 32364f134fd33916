package io.scalegate.spark.window.design

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeRow}

import io.scalegate.multiway.AggregateSpec
import io.scalegate.spark.rows.UnsafeRows
import io.scalegate.spark.settings.NamedDesign
import io.scalegate.spark.window.SlidingWindow
import io.scalegate.spark.window.partial.PaneFunctions
import io.scalegate.stream.SlidingWindows

/** One [[DesignWindowsExec]] as it travels to the executors.
  *
  * @param input
  *   the columns of its rows
  * @param keys
  *   over `input`
  * @param time
  *   one of `input`, never NULL, by which rows come in order
  * @param updates
  *   the functions over `input`
  * @param results
  *   the rows that are given
  * @param having
  *   over keys and window
  */
final case class DesignTask(
    by: SlidingWindow,
    design: NamedDesign,
    input: Seq[Attribute],
    keys: Seq[Expression],
    grouping: Seq[Attribute],
    window: Attribute,
    time: Attribute,
    updates: PaneFunctions,
    results: PaneFunctions,
    having: Option[Expression]
) {

  /** Starts the aggregate of rows in the order of their times; the task's end must close it. */
  def open(partition: Int, rows: Iterator[InternalRow]): DesignIterator = {
    val function = DesignFunction.ofRows(partition, updates, input, design.callers)
    new DesignIterator(
      new RowTuples(partition, UnsafeRows(rows, input), this),
      design.strategy.open(DesignTask.spec(by, function), design.inputs),
      new DesignResults(partition, by, grouping, window, results, having),
      TaskContext.get()
    )
  }
}

private[window] object DesignTask {
  type Spec = AggregateSpec[UnsafeRow, UnsafeRow, UnsafeRow]

  /** Of tuples whose times are counted from the windows' offset. */
  def spec(by: SlidingWindow, function: DesignFunction): Spec =
    AggregateSpec(
      SlidingWindows(by.size, by.slide),
      _.row.asInstanceOf[DesignRow].key,
      function
    )
}
