package io.scalegate.bench.join

import org.HdrHistogram.Histogram

import io.scalegate.join.{JoinOptions, JoinResult, RunningJoin}
import io.scalegate.stream.{IdleStrategy, StreamTuple}

/** The thread that is both sources and the consumer of a join whose tuples come at times of their
  * own. It records how long each result takes: from the time at which its later tuple was due to its
  * exit, so that what this thread is late with counts too. A tuple's row is that time, in
  * nanoseconds; source 0 is R's, source 1 is S's, or 0 all of them where a stream is joined with itself.
  */
final private[bench] class PacedConsumer(join: RunningJoin) {
  private[this] val idle = PacedConsumer.idle()
  private[this] var recorded = new Histogram(PacedConsumer.Digits)
  private[this] var since = Long.MaxValue
  private[this] var taken = 0L

  /** All results so far, recorded or not. */
  def results: Long = taken

  /** Of the results with a later tuple from `ts` on, from now on: in nanoseconds. */
  def recordFrom(ts: Long): Histogram = {
    since = ts
    recorded = new Histogram(PacedConsumer.Digits)
    recorded
  }

  /** Takes results until it is so late. */
  def awaitTime(nanos: Long): Unit = while (System.nanoTime() < nanos) takeOrIdle()

  /** Says that no tuple before `ts` is to come, and takes the results of all that have. */
  def awaitResults(ts: Long): Unit = {
    join.sources.foreach(_.advance(ts))
    while (join.frontier < ts) takeOrIdle()
  }

  /** Delivers a tuple that is due, and says that no source has one before it: R's come first. */
  def deliver(t: StreamTuple): Unit = {
    while (!join.sources(t.source).tryAdd(t)) takeOrIdle()
    if (join.sources.size > 1)
      join.sources(1 - t.source).advance(if (t.source == 0) t.ts else t.ts + 1)
  }

  /** Takes a result, or waits a little where there is none. */
  def takeOrIdle(): Unit = if (!take()) idle.idle()

  /** Takes a result, if there is one. */
  def take(): Boolean = {
    val result = join.poll()
    if (result != null) {
      idle.reset()
      taken += 1
      if (result.later.ts >= since)
        recorded.recordValue(System.nanoTime() - PacedConsumer.due(result))
    }
    result != null
  }
}

private[bench] object PacedConsumer {

  /** Longer parks would be a latency of their own. */
  private val MostParkNanos = 50000L

  /** A recorded latency is within a thousandth of the real one. */
  private val Digits = 3

  def idle(): IdleStrategy = new IdleStrategy.Backoff(maxParkNanos = MostParkNanos)

  /** For the joins whose latency is recorded. */
  val Options: JoinOptions = JoinOptions(idle = () => idle())

  def millis(latencies: Histogram, percentile: Double): Double =
    latencies.getValueAtPercentile(percentile) / 1e6

  /** Fields of a line of JSON: how many there are, their mean and percentiles. */
  def fields(latencies: Histogram): String = {
    val percentiles = Seq("p50" -> 50.0, "p99" -> 99.0, "p99.9" -> 99.9, "max" -> 100.0)
    val told = ("mean" -> latencies.getMean / 1e6) +:
      percentiles.map { case (name, p) => name -> millis(latencies, p) }
    val results = s""""results": ${latencies.getTotalCount}"""
    (results +: told.map { case (name, ms) => f""""$name ms": $ms%.4f""" }).mkString(", ")
  }

  private def due(result: JoinResult): Long = result.later.row match {
    case nanos: java.lang.Long => nanos.longValue
    case other => throw new IllegalStateException(s"no arrival time: $other")
  }
}
