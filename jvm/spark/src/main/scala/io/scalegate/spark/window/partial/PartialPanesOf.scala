package io.scalegate.spark.window.partial

import org.apache.spark.TaskContext
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.DataType

import io.scalegate.spark.window.SlidingWindow

/** The terms that partial results are kept by, as they travel to the executors.
  *
  * @param keys
  *   their types
  * @param functions
  *   of mode Partial, whose partial results are of fixed size
  * @param flushes
  *   counts how often memory is full
  */
final case class PartialPanesOf(
    by: SlidingWindow,
    keys: Seq[DataType],
    functions: PaneFunctions,
    flushes: SQLMetric
) {

  /** The partial results of the running task. */
  def begin(): PartialPanes = new PartialPanes(this, TaskContext.get())
}
