package io.scalegate.spark.window.design

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.{Predicate, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.scalegate.TaskAccess

import io.scalegate.multiway.{AggregateSpec, WindowResults}
import io.scalegate.spark.window.partial.{PanePartials, PaneResults}
import io.scalegate.spark.window.slide.WindowRow
import io.scalegate.stream.{IdleStrategy, Side, StreamTuple}

/** Deals a task's rows to the inputs of a running aggregate, one after the other, and takes its windows, on the task's
  * thread, which therefore never waits for the one while the aggregate waits for the other. A row is valid until the next
  * is asked for. Windows come in the order of their starts.
  *
  * Windows and rows on their way are in memory, and are not spilled.
  */
final class DesignIterator(
    partition: Int,
    rows: Iterator[UnsafeRow],
    task: DesignTask,
    spec: AggregateSpec[UnsafeRow, UnsafeRow, UnsafeRow],
    context: TaskContext
) extends Iterator[UnsafeRow]
    with AutoCloseable {
  private[this] val keyOf = UnsafeProjection.create(task.keys, task.input)
  private[this] val timeAt = task.input.indexWhere(_.exprId == task.time.exprId)
  private[this] val windowRow = new WindowRow(task.grouping, task.window)
  private[this] val made =
    PaneResults(partition, task.results, PanePartials(partition, task.results))
  private[this] val wanted = task.having.map { condition =>
    val predicate = Predicate.create(condition, task.grouping :+ task.window)
    predicate.initialize(partition)
    predicate
  }
  private[this] val idle = new IdleStrategy.Backoff()
  private[this] val inputs = task.design.inputs
  private[this] val running = task.design.strategy.open(spec, inputs)

  private[this] var head: StreamTuple = _
  private[this] var dealt = 0L
  private[this] var fed = false
  private[this] var windows: WindowResults[UnsafeRow, UnsafeRow] = _
  private[this] var at = 0
  private[this] var ready: UnsafeRow = _

  keyOf.initialize(partition)

  /** Rows that were taken so far. */
  def taken: Long = dealt

  override def hasNext: Boolean = {
    while (ready == null && (windows != null || look())) giveNext()
    ready != null
  }

  override def next(): UnsafeRow = {
    if (!hasNext) throw new NoSuchElementException
    val row = ready
    ready = null
    row
  }

  override def close(): Unit = running.close()

  /** Takes the next windows of one start; false when there are no more. */
  private[this] def look(): Boolean = {
    while (windows == null && !running.isDone) {
      windows = running.poll()
      if (windows == null && !feed()) waitForDesign()
    }
    at = 0
    windows != null
  }

  private[this] def giveNext(): Unit =
    if (at == windows.size) windows = null
    else {
      val start = windows.start + task.by.offset
      windowRow.begin(windows.key(at))
      windowRow.move(start, start + task.by.size)
      if (wanted.forall(_.eval(windowRow.row)))
        ready = made.row(windowRow.row, windows.value(at), null)
      at += 1
    }

  private[this] def waitForDesign(): Unit = {
    TaskAccess.stopIfKilled(context)
    idle.idle()
  }

  /** Delivers rows until an input is full, or some were; false if it could deliver none. */
  private[this] def feed(): Boolean = {
    var count = 0
    while (!fed && count < DesignIterator.Burst && deliver()) count += 1
    if (count > 0) idle.reset()
    count > 0
  }

  private[this] def deliver(): Boolean = {
    if (head == null && rows.hasNext) head = tuple(rows.next())
    if (head == null) {
      running.sources.foreach(_.close())
      fed = true
      false
    } else if (running.sources(head.source).tryAdd(head)) {
      head = null
      dealt += 1
      true
    } else {
      // The others have nothing before this row, and may hold the aggregate up.
      for (source <- running.sources if source.id != head.source) source.advance(head.ts)
      false
    }
  }

  private[this] def tuple(row: UnsafeRow): StreamTuple = {
    val time = row.getLong(timeAt)
    task.by.pane(time) // refuses a time whose windows are out of range, as panes do
    new StreamTuple(
      time - task.by.offset,
      (dealt % inputs).toInt,
      dealt,
      Side.R,
      DesignIterator.NoAttributes,
      new DesignRow(keyOf(row).copy(), row.copy())
    )
  }
}

private object DesignIterator {

  /** Rows that are delivered before the windows are looked at again. */
  val Burst = 256

  val NoAttributes = new Array[Long](0)
}
