package io.scalegate.spark.join.stream.realtime

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.join.RowAddress
import io.scalegate.spark.join.stream.state.{BatchJournal, HeldState}
import io.scalegate.spark.join.stream.task.{BatchPairs, BatchServices, StreamBatch, StreamTask}
import io.scalegate.stream.Sides

/** The rows of a join in Real-Time Mode, in one partition, for one batch of minutes: the join goes on for as long as its
  * inputs do. It takes what has come since it last looked, a row or a few thousand, and joins that as a part of the
  * batch: the busier it is, the larger its parts, and the less it does for each row.
  *
  * Rows expire, and are decided, by what the sources of both inputs have promised ([[SourceProgress]]), and not by Spark's
  * watermark, which stands still for as long as the batch lasts.
  *
  * One thread, the task's, beside those of `arrivals`. It holds the state and the batch's journal.
  *
  * @param before
  *   one of the task's own states
  * @param sourcesBefore
  *   what the batch before knew of the sources of each input, in the order of their numbers; none where that is not known
  * @param publish
  *   takes what the task tells of itself, each second and at the end
  */
final class RealTimePairs(
    val task: StreamTask,
    arrivals: Arrivals,
    terms: RealTimeTerms,
    batch: Long,
    before: HeldState,
    sourcesBefore: Sides[Seq[KnownSource]],
    services: BatchServices,
    publish: TaskFigures => Unit
) extends BatchPairs(new RowAddress(task.columns.left), new RowAddress(task.columns.right)) {
  import RealTimePairs._

  private[this] val journal = new BatchJournal(services.store, batch)
  private[this] val ofParts = services.copy(store = journal)
  private[this] val progress =
    sourcesBefore.map(new SourceProgress(terms.idleNanos, _, System.nanoTime))
  private[this] val meter =
    new TaskMeter(TaskContext.getPartitionId(), batch, MostRows, publish)
  private[this] val rows = Sides.each(_ => ArrayBuffer.empty[UnsafeRow])
  private[this] var state: task.State = task.own(before)
  private[this] var part: BatchPairs = _ // null between two parts

  private[this] var compared = 0L
  private[this] var joined = 0L
  private[this] var late = 0L

  def comparisons: Long = compared
  def added: Long = joined
  def dropped: Long = late

  def advance(): Boolean = {
    while (!(part != null && part.advance()) && nextPart()) ()
    if (part == null) false
    else {
      meter.result()
      leftAddress.set(part.leftAddress)
      rightAddress.set(part.rightAddress)
      true
    }
  }

  /** What is known of the sources of each input. */
  def sources: Sides[Seq[SourceFigures]] = {
    val now = System.nanoTime
    progress.map(_.figures(now))
  }

  def finish(): HeldState = {
    require(
      part == null && arrivals.isDone,
      "a batch is finished when all of its rows were taken"
    )
    publishFigures()
    state.withChunks(journal.write())
  }

  def close(): Unit = if (part != null) part.close()

  /** Ends the part, and begins the next as soon as there is something to join; false when nothing comes any more. */
  private[this] def nextPart(): Boolean = {
    endPart()
    while (part == null && !arrivals.isDone) {
      services.waiting()
      if (meter.isDue) publishFigures()
      gather()
      val reached = reachedNow
      if (
        rows.left.nonEmpty || rows.right.nonEmpty || task.givesAtWatermark && reached > state.watermark
      )
        begin(reached)
    }
    part != null
  }

  private[this] def endPart(): Unit = if (part != null) {
    state = task.own(part.finish())
    compared += part.comparisons
    joined += part.added
    late += part.dropped
    part.close()
    part = null
    meter.joined()
  }

  private[this] def begin(reached: Long): Unit = {
    val of = StreamBatch(
      batch,
      state.watermark,
      reached,
      Sides.each(side => journal.named(side))
    )
    part = task.joinWith(rows.map(_.iterator), of, state, ofParts)
    // The part has read them all.
    rows.left.clear()
    rows.right.clear()
  }

  private[this] def gather(): Unit = {
    val now = System.nanoTime
    arrivals.take(MostRows, WaitNanos) { a =>
      promise(a, now)
      if (a.row != null) {
        rows(a.side) += a.row
        val source = ProgressExec.numberOf(a.source)
        progress(a.side).row(source)
        progress(a.side).heard(source, now)
        meter.came(a.side, a.time, a.readAt)
      }
    }
  }

  /** What a row of its source promises, too. */
  private[this] def promise(a: Arrival, now: Long): Unit =
    progress(a.side).promise(
      ProgressExec.numberOf(a.source),
      ProgressExec.sourcesOf(a.source),
      if (ProgressExec.isPromise(a.source)) a.time
      else RealTimeTerms.promised(a.time, terms.delays(a.side)),
      now
    )

  private[this] def publishFigures(): Unit = meter.publish(
    late,
    compared,
    state.leftRows + state.rightRows,
    state.leftBytes + state.rightBytes,
    reachedNow,
    sources
  )

  private[this] def reachedNow: Long = {
    val now = System.nanoTime
    math.max(state.watermark, math.min(progress.left.reached(now), progress.right.reached(now)))
  }
}

private object RealTimePairs {

  /** Of a part. */
  private val MostRows = 4096

  /** How long it waits for rows until it looks whether the task was killed, and whether sources are idle. */
  private val WaitNanos = 50000000L
}
