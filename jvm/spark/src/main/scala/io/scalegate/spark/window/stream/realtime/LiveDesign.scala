package io.scalegate.spark.window.stream.realtime

import java.util.{ArrayDeque, ArrayList, HashMap, PriorityQueue, TreeMap}

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.scalegate.TaskAccess

import io.scalegate.multiway.{RunningAggregate, WindowResults}
import io.scalegate.spark.join.stream.realtime.SourceProgress
import io.scalegate.spark.rows.WindowMemory
import io.scalegate.spark.settings.{Errors, NamedDesign, WindowEmission}
import io.scalegate.spark.window.design.{DesignOfPanes, DesignPane}
import io.scalegate.spark.window.partial.PanePartials
import io.scalegate.spark.window.slide.PaneWindowsTask
import io.scalegate.stream.IdleStrategy

/** The windows of a partition of an aggregate in Real-Time Mode, given once by a design of the paper on T-Gate and
  * W-Hive. Each task that reads a source is an input of the design, and what it promises is the input's progress: so it is
  * the gate, or the hive, that knows when a window is through. Its tuples are panes: the partial results that came within
  * some milliseconds, which wait here until their source promises that no earlier pane comes of it.
  *
  * {{{
  *   source 0   | 10 k1 | 10 k2 | 20 k1 |  promises 20 -> input 0 |\
  *   source 1   | 10 k1 | 30 k2 |          promises 10 -> input 1 |-> windows that end by 10
  * }}}
  *
  * A pane that comes behind its source's promise cannot be given to the design any more. Where a window of it is still
  * open, it is kept beside the design, and what is kept is merged with the design's result when the window is given: so
  * the rows are those of any other way to make windows.
  *
  * One thread, the task's, beside the design's own, which run until [[close]].
  *
  * @param before
  *   windows that end at or before it have been given or closed
  */
final private[realtime] class LiveDesign(
    partition: Int,
    task: PaneWindowsTask,
    partials: PanePartials,
    design: NamedDesign,
    before: Long,
    context: TaskContext
) extends AutoCloseable {
  import LiveDesign._
  import task.by

  private[this] val results = DesignOfPanes.results(partition, task)
  private[this] val idle = new IdleStrategy.Backoff()
  private[this] val inputs = new ArrayList[Input]

  /** Once the sources are known. */
  private[this] var running: RunningAggregate[UnsafeRow, UnsafeRow] = _

  private[this] val memory = WindowMemory.ofTask(context)
  private[this] var (held, bytes) = (0L, 0L) // the panes that wait, and their sizes
  private[this] var tuples = 0L

  /** Panes that came behind what their sources had promised. */
  private[this] val behind =
    new LivePanes(partition, task, partials, WindowEmission.Final, before)

  /** Their windows that are through and not given yet, by start and key. */
  private[this] val beside = new TreeMap[java.lang.Long, HashMap[UnsafeRow, UnsafeRow]]

  private[this] var through = before // the pane that all inputs have passed
  private[this] var windows: WindowResults[UnsafeRow, UnsafeRow] = _
  private[this] var at = 0
  private[this] val alone = new ArrayDeque[UnsafeRow] // windows of `beside` alone
  private[this] var ready: UnsafeRow = _

  /** The row of the window at which [[advance]] has stopped, valid until the next call. */
  def row: UnsafeRow = ready

  /** Adds what has come of a pane of an open window. The arguments stay the caller's. */
  def add(source: Int, key: UnsafeRow, start: Long, partial: UnsafeRow): Unit = {
    val input = inputOf(source)
    if (start < input.passed) behind.add(key, start, partial.copy(), isChange = true)
    else {
      input.waiting.add(new DesignPane(key.copy(), start, partial.copy()))
      held += 1
      bytes += key.getSizeInBytes + partial.getSizeInBytes
      if (!memory.tryReserve(held, bytes)) throw Errors.panesTooLarge(held.toInt, bytes)
    }
  }

  /** Takes note of what the sources promise; the windows that are through are given by [[advance]].
    *
    * @param reached
    *   the event time that all sources have passed, but those that are left out
    */
  def reach(progress: SourceProgress, reached: Long): Unit = {
    if (running == null) {
      inputOf(progress.size - 1)
      running = DesignOfPanes.open(partition, task, design, inputs.size)
    }
    // Where all sources are silent, the slowest of them may have promised more than what is gone by.
    val slowest = (0 until inputs.size).minBy(progress.promisedBy)
    inputs.forEach { input =>
      val number = input.number
      reachWith(
        input,
        if (number == slowest) reached else math.max(progress.promisedBy(number), reached)
      )
    }
    through = inputs.get(slowest).promised
    behind.reach(through)
    while (behind.advance())
      beside.computeIfAbsent(behind.givenStart, _ => new HashMap)
        .put(behind.givenKey, behind.givenPartial)
  }

  private[this] def reachWith(input: Input, time: Long): Unit =
    if (time > Long.MinValue) input.promised = math.max(input.promised, by.pane(time))

  /** Goes on to the next window to be given; false when there are none for now. */
  def advance(): Boolean = {
    ready = null
    while (ready == null && look()) giveNext()
    ready != null
  }

  override def close(): Unit = if (running != null) running.close()

  /** Whether there is more to be given. */
  private[this] def look(): Boolean = {
    if (windows == null && alone.isEmpty) {
      val next = taken()
      val until = if (next == null) Long.MaxValue else results.startOf(next.start)
      giveAlone(until)
      windows = next
      at = 0
    }
    windows != null || !alone.isEmpty
  }

  private[this] def giveNext(): Unit =
    if (!alone.isEmpty) ready = alone.poll()
    else {
      val start = results.startOf(windows.start)
      val more = beside.get(start)
      if (at < windows.size) {
        val key = windows.key(at)
        ready =
          results.row(key, start, windows.value(at), if (more == null) null else more.remove(key))
        at += 1
      } else {
        windows = null
        giveAlone(start + 1)
      }
    }

  /** Gives the windows that the design has no pane of, of those that start before a time. */
  private[this] def giveAlone(until: Long): Unit =
    while (!beside.isEmpty && beside.firstKey < until) {
      val first = beside.pollFirstEntry()
      first.getValue.forEach { (key, partial) =>
        val row = results.row(key, first.getKey, partial)
        if (row != null) alone.add(row.copy())
        ()
      }
    }

  /** The design's next windows of one start; null when it has given all that are through. */
  private[this] def taken(): WindowResults[UnsafeRow, UnsafeRow] = {
    var next: WindowResults[UnsafeRow, UnsafeRow] = null
    if (running != null) {
      var more = true
      while (next == null && more) {
        next = running.poll()
        if (next == null) more = feed() || !isThrough
        else if (by.endOf(results.startOf(next.start)) <= before) next = null
      }
    }
    next
  }

  /** Whether the design has given all windows that end by what the inputs have passed. Waits a little where it has not. */
  private[this] def isThrough =
    through == Long.MinValue || running.frontier >= through - by.offset || {
      idle.idle()
      TaskAccess.stopIfKilled(context)
      false
    }

  /** Delivers what waits, in the order of time over all inputs, as far as they have room; false if nothing could be. */
  private[this] def feed(): Boolean = {
    var count = 0
    var input = firstReady()
    while (input != null && count < Burst) {
      if (input.deliver()) count += 1
      input = firstReady()
    }
    inputs.forEach { input =>
      input.isFull = false
      if (input.promise()) count += 1
    }
    if (count > 0) idle.reset()
    count > 0
  }

  /** The input whose next pane is the earliest, of those that have room and one that is ready. */
  private[this] def firstReady(): Input = {
    var first: Input = null
    inputs.forEach { input =>
      if (input.isReady && (first == null || input.next < first.next)) first = input
    }
    first
  }

  private[this] def inputOf(source: Int): Input = {
    while (inputs.size <= source) inputs.add(new Input(inputs.size))
    inputs.get(source)
  }

  /** One source. */
  final private[this] class Input(val number: Int) {
    val waiting = new PriorityQueue[DesignPane]

    /** The pane that the source has passed, and that the design knows of. */
    var promised, passed = Long.MinValue
    var isFull = false

    def next: Long = waiting.peek.start
    def isReady: Boolean = !isFull && !waiting.isEmpty && next <= promised

    /** Delivers the next pane; false if there is no room. */
    def deliver(): Boolean = {
      val pane = waiting.peek
      isFull = !running.sources(number).tryAdd(pane.tuple(by, number, tuples))
      if (!isFull) {
        waiting.poll()
        held -= 1
        bytes -= pane.key.getSizeInBytes + pane.partial.getSizeInBytes
        tuples += 1
        passed = math.max(passed, pane.start)
      }
      !isFull
    }

    /** Tells the design how far the source has come, once it has all that waits; false if that is nothing new. */
    def promise(): Boolean = {
      val isNew = passed < promised && !isReady
      if (isNew) {
        running.sources(number).advance(promised - by.offset)
        passed = promised
      }
      isNew
    }
  }
}

private object LiveDesign {

  /** Panes that are delivered before the windows are looked at again. */
  val Burst = 256
}
