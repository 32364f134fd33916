package io.scalegate.spark.window.design

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Predicate, UnsafeRow}

import io.scalegate.spark.window.SlidingWindow
import io.scalegate.spark.window.partial.{PaneFunctions, PanePartials, PaneResults}
import io.scalegate.spark.window.slide.WindowRow

/** Makes the rows of the windows that a design gives. One thread, the task's; a row is valid until the next is asked for.
  *
  * @param results
  *   over keys, window and the functions' results
  * @param having
  *   over keys and window
  */
final private[window] class DesignResults(
    partition: Int,
    by: SlidingWindow,
    grouping: Seq[Attribute],
    window: Attribute,
    results: PaneFunctions,
    having: Option[Expression]
) {
  private[this] val windowRow = new WindowRow(grouping, window)
  private[this] val made = PaneResults(partition, results, PanePartials(partition, results))
  private[this] val wanted = having.map { condition =>
    val predicate = Predicate.create(condition, grouping :+ window)
    predicate.initialize(partition)
    predicate
  }

  /** The start of a window, as a design counts it, as Spark does. */
  def startOf(start: Long): Long = start + by.offset

  /** Null for a window that is not wanted.
    *
    * @param more
    *   another partial result of the window; null where there is none
    */
  def row(key: UnsafeRow, start: Long, partial: UnsafeRow, more: UnsafeRow = null): UnsafeRow = {
    windowRow.begin(key)
    windowRow.move(start, start + by.size)
    if (wanted.forall(_.eval(windowRow.row))) made.row(windowRow.row, partial, more) else null
  }
}
