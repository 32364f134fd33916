package io.scalegate.spark.window.partial

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  JoinedRow,
  SpecificInternalRow,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.types.{BinaryType, LongType}

import io.scalegate.spark.rows.WindowMemory
import io.scalegate.spark.settings.Errors

/** The partial results of a task's rows, and the rows that they are exchanged as: of a key, all panes of a block in
  * one, of the keys, the block's number and the panes as `PaneBlock` has them. When the task's memory is full, what
  * is held is given and forgotten, so a key and a block may come more than once.
  *
  * Filled by `point`, and given by `drain` and the iterator, in turn; a row is valid until the next is asked for. One
  * thread, the task's. It is public for generated code.
  */
final class PartialPanes(terms: PartialPanesOf, context: TaskContext)
    extends Iterator[UnsafeRow] {
  private[this] val table = new PaneTable(terms.functions.initial)
  private[this] val memory = WindowMemory.ofTask(context)
  private[this] val result = new UnsafeRow(terms.functions.partial.size)

  private[this] val key = new UnsafeRow(terms.keys.size)
  private[this] val block = new SpecificInternalRow(Seq(LongType, BinaryType))
  private[this] val joined = new JoinedRow(key, block)
  private[this] val output = UnsafeProjection.create(
    (terms.keys ++ Seq(LongType, BinaryType)).toArray
  )
  private[this] var pane = 0L
  private[this] var paneNumber = terms.by.paneNumber(0L)
  private[this] var room = -1L
  private[this] var draining = false
  private[this] var cell = 0

  if (!reserve()) throw Errors.panesTooLarge(0, table.bytes)

  /** The partial result of a key's pane, to be changed before the next call.
    *
    * @param pane
    *   of a row
    */
  def point(key: UnsafeRow, pane: Long): UnsafeRow = {
    move(pane)
    table.point(result, key, paneNumber)
    result
  }

  /** The same for a key of one column, of a type that [[KeyWord]] has. */
  def point(isNull: Boolean, word: Long, pane: Long): UnsafeRow = {
    move(pane)
    table.point(result, isNull, if (isNull) 0L else word, paneNumber)
    result
  }

  private[this] def move(pane: Long): Unit =
    if (pane != this.pane) {
      this.pane = pane
      paneNumber = terms.by.paneNumber(pane)
    }

  /** Whether memory is full: then the table is to be drained before another row is added. */
  def isFull: Boolean = table.bytes > room && !reserve() && {
    terms.flushes += 1
    true
  }

  /** Gives what is held, after which the table is empty. */
  def drain(): Unit = if (!draining) {
    draining = true
    cell = table.cellFrom(0)
    // Whoever takes the rows needs memory as well.
    memory.shrink(table.bytes)
  }

  override def hasNext: Boolean = {
    if (draining && cell < 0) {
      draining = false
      table.clear()
      reserve()
    }
    draining
  }

  override def next(): UnsafeRow = {
    if (!hasNext) throw new NoSuchElementException
    table.pointKey(key, cell)
    block.setLong(0, table.block(cell))
    block.update(1, table.panes(cell))
    cell = table.cellFrom(cell + 1)
    output(joined)
  }

  /** Room for as much again as there is: a table that is given must leave room for whoever takes its rows. */
  private[this] def reserve(): Boolean = {
    val enough = memory.tryReserve(0, 2 * table.bytes)
    if (enough) room = table.bytes
    enough
  }
}

/** The rows of [[PartialPanes]] where no code is generated for the whole stage. */
final private[scalegate] class PartialPanesIterator(
    partition: Int,
    rows: Iterator[InternalRow],
    task: PartialPanesTask
) extends Iterator[UnsafeRow] {
  private[this] val panes = task.begin()
  private[this] val updates = new PaneUpdates(partition, task.partials.functions, task.input)
  private[this] val paneAt = task.input.indexWhere(_.exprId == task.pane.exprId)
  private[this] val keysOf = {
    val made = UnsafeProjection.create(task.keys, task.input)
    made.initialize(partition)
    made
  }

  override def hasNext: Boolean = panes.hasNext || rows.hasNext && {
    fill()
    panes.hasNext
  }

  override def next(): UnsafeRow = {
    if (!hasNext) throw new NoSuchElementException
    panes.next()
  }

  private[this] def fill(): Unit = {
    var full = false
    while (!full && rows.hasNext) {
      val row = rows.next()
      updates.add(panes.point(keysOf(row), row.getLong(paneAt)), row)
      full = panes.isFull
    }
    if (full || task.shared.isEmpty) panes.drain()
  }
}
