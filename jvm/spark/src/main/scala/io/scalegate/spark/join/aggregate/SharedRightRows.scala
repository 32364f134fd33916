package io.scalegate.spark.join.aggregate

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.panes.RowBlock
import io.scalegate.spark.rows.{AttributeReader, SpillingBlocks}

/** The right rows of one key after another for several windows, each of which takes them as far as its interval reaches.
  * The window that is ahead takes them from the input. What it has taken waits for each of the others, in the task's
  * memory, and on disk what that does not hold. One thread, the task's.
  *
  * @param input
  *   gives each row once
  * @param time
  *   reads a row's time
  * @param columns
  *   of a row
  */
final private[aggregate] class SharedRightRows(
    input: RightRows,
    windows: Int,
    time: AttributeReader,
    columns: Int,
    context: TaskContext
) extends (Int => RightRows) {
  import SharedRightRows._

  private[this] val blocks = new SpillingBlocks(columns, context, () => 0L)
  private[this] val taken = Array.fill(windows)(new Taken)

  /** Blocks of rows that were written to disk so far. */
  def spilled: Long = blocks.spilled

  /** What a window takes. */
  override def apply(window: Int): RightRows = taken(window)

  /** Forgets what waits; then the input goes on to another key. */
  def beginKey(): Unit = taken.foreach(_.clear())

  final private class Taken extends RightRows {
    private[this] val waiting = mutable.ArrayDeque.empty[RowBlock[UnsafeRow]]
    private[this] var open: RowBlock[UnsafeRow] = _ // the last of these, if rows are added to it
    private[this] var free = 0 // rows that it has room for
    private[this] var reading: RowBlock[UnsafeRow] = _
    private[this] var rows = Iterator.empty[UnsafeRow] // of that
    private[this] var current: UnsafeRow = _ // null where the input's is the current one
    private[this] var currentTime = 0L

    override def isPresent: Boolean = isWaiting || input.isPresent
    override def time: Long = if (isWaiting) currentTime else input.time
    override def row: UnsafeRow = if (isWaiting) current else input.row

    override def advance(): Unit =
      if (isWaiting) current = null
      else {
        val row = input.row
        taken.foreach(other => if (other ne this) other.add(row))
        input.advance()
      }

    def add(row: UnsafeRow): Unit = {
      if (free == 0) {
        val (block, room) = blocks.next(BlockRows)
        open = block
        free = room
        waiting += block
      }
      open.add(row)
      free -= 1
    }

    def clear(): Unit = {
      current = null
      rows = Iterator.empty
      release()
      waiting.foreach(_.release())
      waiting.clear()
      free = 0
    }

    /** Whether the current row has been taken by another window. */
    private[this] def isWaiting = (current ne null) || {
      if (!rows.hasNext) {
        release()
        if (waiting.nonEmpty) begin()
      }
      rows.hasNext && {
        current = rows.next()
        SharedRightRows.this.time.read(current)
        currentTime = SharedRightRows.this.time.keys(0)
        true
      }
    }

    private[this] def begin(): Unit = {
      reading = waiting.removeHead()
      // None is added to what is read.
      if (waiting.isEmpty) free = 0
      rows = reading.rows
    }

    private[this] def release(): Unit = if (reading ne null) {
      reading.release()
      reading = null
    }
  }
}

private object SharedRightRows {

  /** Of a block in memory, at most. */
  private val BlockRows = 1 << 12
}
