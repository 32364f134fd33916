package io.scalegate.spark.join.stream.realtime

import java.time.Instant

import org.apache.spark.sql.catalyst.util.DateTimeUtils

import io.scalegate.stream.{Side, Sides}

/** Measures a task of a join in Real-Time Mode, and publishes what it has measured each second and at the end. One
  * thread.
  *
  * @param most
  *   rows that may come between two calls of [[joined]]
  */
final class TaskMeter(
    partition: Int,
    batch: Long,
    most: Int,
    publish: TaskFigures => Unit
) {
  private[this] val startedAt = TaskMeter.now
  private[this] var publishedAt = startedAt
  private[this] val latencies = new Latencies
  private[this] val eventLatencies = new Latencies
  private[this] val rows = Array(0L, 0L)
  private[this] var results = 0L

  private[this] val readAt = new Array[Long](most)
  private[this] val eventTimes = new Array[Long](most)
  private[this] var open = 0

  /** A row has come that is to be joined.
    *
    * @param time
    *   its event time, the least where that is NULL
    * @param read
    *   when its source task read it
    */
  def came(side: Side, time: Long, read: Long): Unit = {
    rows(if (side eq Side.R) 0 else 1) += 1
    readAt(open) = read
    eventTimes(open) = time
    open += 1
  }

  def result(): Unit = results += 1

  /** So many rows have come whose latency is not that of a row. */
  def counted(side: Side, count: Long): Unit = rows(if (side eq Side.R) 0 else 1) += count

  /** A row was read whose results are given from now on. */
  def awaits(time: Long, read: Long): Unit = {
    readAt(0) = read
    eventTimes(0) = time
    open = 1
  }

  /** The row had none. */
  def hadNone(): Unit = open = 0

  /** All that the rows match which have come was given. */
  def joined(): Unit = if (open > 0) {
    val now = TaskMeter.now
    var i = 0
    while (i < open) {
      latencies.record(now - readAt(i))
      if (eventTimes(i) != Long.MinValue) eventLatencies.record(now - eventTimes(i))
      i += 1
    }
    open = 0
  }

  /** Whether it is time to publish. */
  def isDue: Boolean = TaskMeter.now - publishedAt >= TaskMeter.Pause

  def publish(
      late: Long,
      comparisons: Long,
      stateRows: Long,
      stateBytes: Long,
      reached: Long,
      sources: Sides[Seq[SourceFigures]]
  ): Unit = {
    publishedAt = TaskMeter.now
    publish(TaskFigures(
      partition,
      batch,
      startedAt,
      publishedAt,
      Sides(rows(0), rows(1)),
      late,
      results,
      comparisons,
      latencies.encoded,
      eventLatencies.encoded,
      stateRows,
      stateBytes,
      reached,
      sources
    ))
  }
}

private[scalegate] object TaskMeter {

  /** Between two times that it publishes, in microseconds. */
  private[realtime] val Pause = 1000000L

  /** In microseconds since the epoch; rows are compared by it that another machine may have read. */
  def now: Long = DateTimeUtils.instantToMicros(Instant.now)
}
