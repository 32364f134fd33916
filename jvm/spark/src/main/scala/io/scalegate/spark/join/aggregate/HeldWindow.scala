package io.scalegate.spark.join.aggregate

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.scalegate.SpillableRows

import io.scalegate.panes.{RowBlock, SlidingRows}
import io.scalegate.spark.rows.{RowStore, WindowMemory}
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
  import HeldWindow._

  private[this] val memory = WindowMemory.ofTask(context)
  private[this] var storedBytes = 0L // of the rows in memory
  private[this] var room = 0L // granted for rows and states
  private[this] val before = new UnsafeRow(columns) // a row before the window, if there is one
  before.pointTo(Array.emptyByteArray, 0)
  private[this] var hasBefore = false
  private[this] var pushCount = 0L
  private[this] var spillCount = 0L

  val rows: SlidingRows[UnsafeRow, UnsafeRow] = new SlidingRows(states, keepsLast, newBlock)

  /** Rows so far, and blocks of rows that were written to disk. */
  def pushed: Long = pushCount
  def spilled: Long = spillCount

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
    if (!states.areSmall && !hasRoom(0))
      throw Errors.intervalStatesTooLarge(rows.size, rows.bytes)
  }

  private[this] def hasRoom(bytes: Long): Boolean = {
    val needed = storedBytes + rows.bytes + bytes
    needed <= room || memory.tryReserve(0, needed) && {
      room = needed
      true
    }
  }

  private[this] def newBlock(least: Int): (RowBlock[UnsafeRow], Int) = {
    val block = new Block
    if (hasRoom(PieceBytes)) (block, least)
    else {
      block.spill()
      (block, math.max(least, SpilledRows))
    }
  }

  final private class Block extends RowBlock[UnsafeRow] {
    private[this] var stored = new RowStore(columns)
    private[this] var kept: SpillableRows = _ // null while the rows are in memory
    private[this] var checked = 0L

    override def add(row: UnsafeRow): Unit =
      if (kept ne null) kept.add(row)
      else {
        val before = stored.bytes
        stored.add(row)
        storedBytes += stored.bytes - before
        if (stored.bytes - checked >= PieceBytes) {
          checked = stored.bytes
          if (!hasRoom(PieceBytes)) spill()
        }
      }

    override def rows: Iterator[UnsafeRow] =
      if (kept ne null) kept.iterator else stored.iterator

    override def release(): Unit =
      if (kept ne null) kept.clear()
      else {
        storedBytes -= stored.bytes
        stored = null
      }

    /** Moves the rows to disk, and all that come from now on. */
    def spill(): Unit = {
      storedBytes -= stored.bytes
      kept = SpillableRows.copyOf(stored.iterator, columns)
      stored = null
      spillCount += 1
    }
  }
}

private object HeldWindow {

  /** That rows may take before the task's memory is asked for more. */
  private val PieceBytes = 1L << 18

  /** Of a block on disk, at least: a file each. */
  private val SpilledRows = 1 << 15
}
