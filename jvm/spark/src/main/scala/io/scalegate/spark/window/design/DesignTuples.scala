package io.scalegate.spark.window.design

import java.util.ArrayList

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

import io.scalegate.spark.rows.WindowMemory
import io.scalegate.spark.settings.Errors
import io.scalegate.spark.window.SlidingWindow
import io.scalegate.spark.window.slide.PaneReader
import io.scalegate.stream.{Side, StreamTuple}

/** What a task has for a design, in the order of time. One thread, the task's. */
private[window] trait DesignTuples {
  def hasNext: Boolean

  /** The next, as a tuple of one of the design's inputs. */
  def next(input: Int, seq: Long): StreamTuple
}

private[window] object DesignTuples {

  /** @param row
    *   a row, or a pane's partial result; the tuple's from now on, as the key is
    */
  def tuple(
      time: Long,
      by: SlidingWindow,
      input: Int,
      seq: Long,
      key: UnsafeRow,
      row: UnsafeRow
  ): StreamTuple =
    new StreamTuple(time - by.offset, input, seq, Side.R, NoAttributes, new DesignRow(key, row))

  private[this] val NoAttributes = new Array[Long](0)
}

/** The rows of a task, which come in the order of their times. */
final private class RowTuples(partition: Int, rows: Iterator[UnsafeRow], task: DesignTask)
    extends DesignTuples {
  private[this] val keyOf = UnsafeProjection.create(task.keys, task.input)
  private[this] val timeAt = task.input.indexWhere(_.exprId == task.time.exprId)
  keyOf.initialize(partition)

  def hasNext: Boolean = rows.hasNext

  def next(input: Int, seq: Long): StreamTuple = {
    val row = rows.next()
    val time = row.getLong(timeAt)
    task.by.pane(time) // refuses a time whose windows are out of range, as panes do
    DesignTuples.tuple(time, task.by, input, seq, keyOf(row).copy(), row.copy())
  }
}

/** The panes of a batch of a stream, which it brings into the order of their starts, in the task's memory. */
final private[window] class PaneTuples(panes: PaneReader, by: SlidingWindow)
    extends DesignTuples {
  private[this] val sorted = {
    val memory = WindowMemory.ofTask(TaskContext.get())
    val all = new ArrayList[DesignPane]
    var bytes = 0L
    while (panes.key ne null) {
      all.add(new DesignPane(panes.key, panes.start, panes.partial))
      bytes += panes.partial.getSizeInBytes
      if (!memory.tryReserve(all.size.toLong, bytes)) throw Errors.panesTooLarge(all.size, bytes)
      panes.advance()
    }
    all.sort(null)
    all.iterator
  }

  def hasNext: Boolean = sorted.hasNext

  def next(input: Int, seq: Long): StreamTuple = sorted.next().tuple(by, input, seq)
}
