package io.scalegate.spark.window.stream.realtime

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

import io.scalegate.spark.join.stream.realtime.{
  KnownSource,
  ProgressExec,
  SourceFigures,
  SourceProgress,
  TaskMeter
}
import io.scalegate.spark.settings.NamedDesign
import io.scalegate.spark.window.partial.{FixedPartials, PanePartials}
import io.scalegate.spark.window.slide.PaneWindowsTask
import io.scalegate.spark.window.stream.{PaneStore, RealTimePanesTerms, WindowsOfBatch}
import io.scalegate.stream.{Side, Sides}

/** The windows of an aggregate in Real-Time Mode, in one partition, for one batch of minutes. It takes one row of the
  * exchange after the other, partial results and promises; asking for the next blocks until it has come. A promise may
  * bring windows to their end, and is the end of what its source sends at a time: windows that have changed are given then.
  *
  * One thread, the task's; a row is valid until the next is asked for.
  *
  * @param rows
  *   of [[LivePartialsExec]]
  * @param arriving
  *   says what comes, without what it has been told of
  * @param task
  *   says what is held
  * @param design
  *   of the papers, which gives the windows; none where the panes do
  * @param reached
  *   windows that end at or before it were given or closed by the batches before
  * @param sourcesBefore
  *   what the batch before knew of the sources, in the order of their numbers; none where that is not known
  * @param meter
  *   of the task
  */
final class RealTimeWindows(
    partition: Int,
    rows: Iterator[InternalRow],
    arriving: PaneWindowsTask,
    task: PaneWindowsTask,
    terms: RealTimePanesTerms,
    design: Option[NamedDesign],
    reached: Long,
    sourcesBefore: Seq[KnownSource],
    store: PaneStore,
    meter: TaskMeter
) extends WindowsOfBatch {
  private[this] val partials = PanePartials(partition, task.functions)
  private[this] val panes =
    new LivePanes(partition, task, partials, terms.emission, reached, gives = design.isEmpty)
  private[this] val live = design.map(
    new LiveDesign(partition, task, partials, _, reached, TaskContext.get())
  )
  private[this] val held = HeldPanes(task, partials, store)
  private[this] val progress =
    new SourceProgress(terms.idleNanos, sourcesBefore, System.nanoTime)
  private[this] val told = arriving.input.size
  private[this] val numberAt = task.keys.size
  private[this] val keysOf = UnsafeProjection.create(arriving.keys, arriving.input)
  private[this] val partialOf =
    UnsafeProjection.create(arriving.input.drop(numberAt + 1), arriving.input)
  private[this] var (isGiving, isReady, gave) = (false, false, false)

  live.foreach(of => TaskContext.get().addTaskCompletionListener[Unit](_ => of.close()))
  held.read(panes)
  // The state does not say which source a pane came of.
  for (of <- live; key <- panes.keys; i <- 0 until key.size)
    of.add(0, key.key, key.start(i), key.state(i))

  /** The event time that all sources have passed. */
  def passed: Long = panes.reached

  /** What is known of the sources. */
  def sources: Seq[SourceFigures] = progress.figures(System.nanoTime)

  override def dropped: Long = panes.dropped
  override def updated: Long = held.updatedRows
  override def removed: Long = held.removedRows
  override def merges: Long = panes.merges
  override def finish(): Unit = {
    publish()
    held.write(panes)
  }

  override def hasNext: Boolean = {
    var more = true
    while (!isReady && more)
      if (isGiving) {
        isReady = live.exists(_.advance()) || panes.advance()
        isGiving = isReady
        if (isReady) {
          gave = true
          meter.result()
        } else settle()
      } else {
        more = rows.hasNext
        if (more) take(rows.next())
      }
    isReady
  }

  override def next(): UnsafeRow = {
    if (!hasNext) throw new NoSuchElementException
    isReady = false
    live.fold(panes.row)(_.row)
  }

  private[this] def take(row: InternalRow): Unit = {
    val source = row.getLong(told + LivePartialsExec.sourceAt)
    if (ProgressExec.isPromise(source)) promise(row, source)
    else {
      count(row, source)
      partials match {
        case fixed: FixedPartials if arriving.packed.nonEmpty => addBlock(source, row, fixed)
        case _ =>
          add(source, keysOf(row), row.getLong(numberAt), partialOf(row).copy())
      }
    }
  }

  /** One row of those that a source sends at a time says how many were read for them. */
  private[this] def count(row: InternalRow, source: Long): Unit = {
    val read = row.getLong(told + LivePartialsExec.countAt)
    meter.counted(Side.R, read)
    progress.row(ProgressExec.numberOf(source), read)
  }

  private[this] def addBlock(source: Long, row: InternalRow, fixed: FixedPartials): Unit = {
    val key = keysOf(row)
    BlockPanes.foreach(row.getBinary(numberAt + 1), row.getLong(numberAt), task.by, fixed) {
      (start, result) => add(source, key, start, result)
    }
  }

  private[this] def add(source: Long, key: UnsafeRow, start: Long, partial: UnsafeRow): Unit = {
    if (!panes.isClosed(start))
      live.foreach(_.add(ProgressExec.numberOf(source), key, start, partial))
    panes.add(key, start, partial, isChange = true)
  }

  private[this] def promise(row: InternalRow, source: Long): Unit = {
    val now = System.nanoTime
    val number = ProgressExec.numberOf(source)
    val bound = row.getLong(told + LivePartialsExec.promisedAt)
    val silent = told + LivePartialsExec.silentAt
    val heard = Option.unless(row.isNullAt(silent))(now - row.getLong(silent) * 1000)
    progress.promise(number, ProgressExec.sourcesOf(source), bound, heard.getOrElse(now))
    heard.foreach(progress.heard(number, _))
    panes.reach(progress.reached(now))
    live.foreach(_.reach(progress, panes.reached))
    meter.awaits(Long.MinValue, row.getLong(told + LivePartialsExec.readAtAt))
    gave = false
    isGiving = true
    if (meter.isDue) publish()
  }

  /** All was given that a promise brings. */
  private[this] def settle(): Unit = if (gave) meter.joined() else meter.hadNone()

  private[this] def publish(): Unit = meter.publish(
    panes.dropped,
    panes.merges,
    panes.paneCount,
    panes.size,
    panes.reached,
    Sides(sources, Nil)
  )
}
