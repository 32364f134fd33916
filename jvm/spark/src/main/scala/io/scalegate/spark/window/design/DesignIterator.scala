package io.scalegate.spark.window.design

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.scalegate.TaskAccess

import io.scalegate.multiway.{RunningAggregate, WindowResults}
import io.scalegate.stream.{IdleStrategy, SaturatingMath, StreamTuple}

/** Deals what a task has to the inputs of a running aggregate, one after the other, and takes its windows, on the task's
  * thread, which therefore never waits for the one while the aggregate waits for the other. Where an input is full, the
  * tuples that have the time of the one it refused go to it, too, so that the others can promise that they are through
  * with that time. A row is valid until the next is asked for. Windows come in the order of their starts.
  *
  * Windows and tuples on their way are in memory, and are not spilled.
  *
  * @param among
  *   which windows are given, by their starts
  */
final class DesignIterator private[window] (
    tuples: DesignTuples,
    running: RunningAggregate[UnsafeRow, UnsafeRow],
    results: DesignResults,
    context: TaskContext,
    among: Long => Boolean = _ => true
) extends Iterator[UnsafeRow]
    with AutoCloseable {
  private[this] val idle = new IdleStrategy.Backoff()
  private[this] val inputs = running.sources.size

  private[this] var head: StreamTuple = _
  private[this] var dealt = 0L
  private[this] var turn = 0 // the input of the next tuple
  private[this] var promised = Long.MinValue // what the inputs whose turn it is not have passed
  private[this] var fed = false
  private[this] var windows: WindowResults[UnsafeRow, UnsafeRow] = _
  private[this] var at = 0
  private[this] var ready: UnsafeRow = _

  /** Rows, or panes, that were taken so far. */
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
      if (windows == null) {
        if (!feed()) waitForDesign()
      } else if (!among(results.startOf(windows.start))) windows = null
    }
    at = 0
    windows != null
  }

  private[this] def giveNext(): Unit =
    if (at == windows.size) windows = null
    else {
      ready = results.row(windows.key(at), results.startOf(windows.start), windows.value(at))
      at += 1
    }

  private[this] def waitForDesign(): Unit = {
    TaskAccess.stopIfKilled(context)
    idle.idle()
  }

  /** Delivers tuples until an input is full, or some were; false if it could deliver none. */
  private[this] def feed(): Boolean = {
    var count = 0
    while (!fed && count < DesignIterator.Burst && deliver()) count += 1
    if (count > 0) idle.reset()
    count > 0
  }

  private[this] def deliver(): Boolean = {
    if (head == null && tuples.hasNext) head = tuples.next(turn, dealt)
    if (head == null) {
      running.sources.foreach(_.close())
      fed = true
      false
    } else if (running.sources(turn).tryAdd(head)) {
      if (head.ts >= promised) turn = if (turn + 1 == inputs) 0 else turn + 1
      head = null
      dealt += 1
      true
    } else {
      // The others may hold the aggregate up.
      promised = SaturatingMath.add(head.ts, 1)
      for (source <- running.sources if source.id != turn) source.advance(promised)
      false
    }
  }
}

private object DesignIterator {

  /** Tuples that are delivered before the windows are looked at again. */
  val Burst = 256
}
