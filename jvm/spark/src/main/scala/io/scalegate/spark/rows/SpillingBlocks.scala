package io.scalegate.spark.rows

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.scalegate.SpillableRows

import io.scalegate.panes.RowBlock

/** Makes blocks of rows in the task's memory, and on disk what that does not hold. One thread, the task's; they all go when
  * the task ends.
  *
  * @param columns
  *   of a row
  * @param beside
  *   bytes that the owner holds beside the rows, which count with them
  */
final private[spark] class SpillingBlocks(
    columns: Int,
    context: TaskContext,
    beside: () => Long
) {
  import SpillingBlocks._

  private[this] val memory = WindowMemory.ofTask(context)
  private[this] var storedBytes = 0L // of the rows in memory
  private[this] var room = 0L // granted
  private[this] var spillCount = 0L

  /** Blocks that were written to disk so far. */
  def spilled: Long = spillCount

  /** Whether the task's memory holds all that there is, and so many bytes more. */
  def hasRoom(bytes: Long): Boolean = {
    val needed = storedBytes + beside() + bytes
    needed <= room || memory.tryReserve(0, needed) && {
      room = needed
      true
    }
  }

  /** A block that should hold so many rows at least, and how many it will hold. */
  def next(least: Int): (RowBlock[UnsafeRow], Int) = {
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

private object SpillingBlocks {

  /** That rows may take before the task's memory is asked for more. */
  private val PieceBytes = 1L << 18

  /** Of a block on disk, at least: a file each. */
  private val SpilledRows = 1 << 15
}
