package io.scalegate.spark.window.slide

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import io.scalegate.spark.window.SlidingWindow
import io.scalegate.spark.window.partial.PaneFunctions

/** One [[PaneWindowsExec]] as it travels to the executors.
  *
  * @param window
  *   STRUCT of a start and an end of one timestamp type
  * @param having
  *   over keys and window
  */
final case class PaneWindowsTask(
    by: SlidingWindow,
    columns: PaneColumns,
    keys: Seq[Attribute],
    window: Attribute,
    functions: PaneFunctions,
    having: Option[Expression]
) {
  def input: Seq[Attribute] = columns.input
  def packed: Option[Int] = columns.packed
}
