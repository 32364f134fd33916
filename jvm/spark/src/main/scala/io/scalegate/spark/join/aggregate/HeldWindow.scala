package io.scalegate.spark.join.aggregate

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.panes.SlidingRows
import io.scalegate.spark.rows.SpillingBlocks
import io.scalegate.spark.settings.Errors

/** The right rows of one window, in the task's memory, and on disk what that does not hold. One thread, the task's; it
  * all goes when the task ends.
  *
  * @param columns
  *   of a right row
  */
final private[aggregate] class HeldWindow(
    states: RightRowStates,
    keepsLast: Boolean,
    columns: Int,
    context: TaskContext
) {
  private[this] val blocks: SpillingBlocks =
    new SpillingBlocks(columns, context, () => rows.bytes)
  private[this] val before = new UnsafeRow(columns) // a row before the window, if there is one
  before.pointTo(Array.emptyByteArray, 0)
  private[this] var hasBefore = false
  private[this] var pushCount = 0L

  val rows: SlidingRows[UnsafeRow, UnsafeRow] = new SlidingRows(states, keepsLast, blocks.next)

  /** Rows so far, and blocks of rows that were written to disk. */
  def pushed: Long = pushCount
  def spilled: Long = blocks.spilled

  /** Adds a row that lies before the window's beginning, behind all others: of such rows the last may count. */
  def pushBefore(row: UnsafeRow): Unit = if (keepsLast) {
    before.copyFrom(row)
    hasBefore = true
  }

  def push(row: UnsafeRow): Unit = {
    pushLastBefore()
    rows.push(row)
    pushCount += 1
  }

  private[this] def pushLastBefore(): Unit = if (hasBefore) {
    hasBefore = false
    push(before)
  }

  def clear(): Unit = {
    hasBefore = false
    rows.clear()
  }

  def evictBefore(start: Long): Unit = {
    pushLastBefore()
    rows.evictBefore(start)
    // Numbers are as many as the root of the rows. What grows with the rows may be too large.
    if (!states.areSmall && !blocks.hasRoom(0))
      throw Errors.intervalStatesTooLarge(rows.size, rows.bytes)
  }
}
