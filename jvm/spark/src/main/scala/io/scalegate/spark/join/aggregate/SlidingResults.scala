package io.scalegate.spark.join.aggregate

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.band.IntegralBand
import io.scalegate.stream.Side

/** What the aggregates of the right rows in one interval around each left row are, for left rows of one key after another, each key's in
  * the order of their times: a window slides over the key's right rows. One thread, the task's; it holds one window.
  *
  * @param columns
  *   of a right row
  */
final private[aggregate] class SlidingResults(
    states: RightRowStates,
    band: IntegralBand,
    keepsLast: Boolean,
    columns: Int,
    context: TaskContext
) {
  private[this] val window = new HeldWindow(states, keepsLast, columns, context)

  /** Right rows that were in a window so far, and blocks of them that were written to disk. */
  def pushed: Long = window.pushed
  def spilled: Long = window.spilled

  /** Merges of partial results so far, and the most rows of a window. */
  def merges: Long = window.rows.merges
  def peak: Long = window.rows.peak

  /** Begins with another key. */
  def beginKey(): Unit = window.clear()

  /** The row of a left row that has no right rows; like that of [[of]] valid until the next is asked for. */
  def ofNone(left: UnsafeRow): UnsafeRow = states.result(left)

  /** The row of a left row.
    *
    * @param left
    *   what the results stand behind: a row of the functions' grouping columns
    * @param time
    *   the left row's
    * @param right
    *   the key's right rows that were in no window yet, in the order of their times
    */
  def of(left: UnsafeRow, time: Long, right: RightRows): UnsafeRow = {
    val (least, greatest) = (band.least(Side.R, time), band.greatest(Side.R, time))
    if (least > greatest) ofNone(left) // beyond the range of the type, on either end
    else {
      slide(least, greatest, right)
      if (window.rows.isEmpty) ofNone(left)
      else states.result(left, window.rows.older, window.rows.newer)
    }
  }

  private[this] def slide(least: Long, greatest: Long, right: RightRows): Unit = {
    while (right.isPresent && right.time <= greatest) {
      if (right.time >= least) window.push(right.row) else window.pushBefore(right.row)
      right.advance()
    }
    window.evictBefore(least)
  }
}
