package io.scalegate.bench.figure

import org.HdrHistogram.Histogram

import io.scalegate.bench.join.{JoinArm, PacedConsumer}
import io.scalegate.join.JoinStrategy
import io.scalegate.stream.{Side, StreamTuple, TimeWindow}

/** Two streams of steady rates a second, R's window and S's in seconds; times are microseconds. */
final private class PacedStreams(
    rateR: Double,
    rateS: Double,
    windowR: Double,
    windowS: Double
) {
  import PacedStreams._

  private[this] val spec =
    JoinArm.spec(TimeWindow.sliding((windowR * Second).toLong, (windowS * Second).toLong))
  private[this] val filled = math.max(windowR, windowS)

  /** Measures for so many seconds of the streams, once the windows are full. */
  def run(strategy: JoinStrategy, seconds: Double): PacedRun = {
    val join = strategy.open(spec, Vector(Side.R, Side.S), PacedConsumer.Options)
    try {
      val consumer = new PacedConsumer(join)
      val feed = new Feed(consumer)
      feed.until(filled, paced = false)
      feed.until(filled + WarmSeconds, paced = true)
      val (results, begin) = (consumer.results, System.nanoTime())
      val latencies = feed.record()
      feed.until(filled + WarmSeconds + seconds, paced = true)
      PacedRun((System.nanoTime() - begin) / 1e9, consumer.results - results, latencies)
    } finally join.close()
  }

  final private[this] class Feed(consumer: PacedConsumer) {
    private[this] val pairs = new UniformPairs(3)
    private[this] var ofR, ofS = 0L

    def record(): Histogram = consumer.recordFrom(math.max(nextR, nextS))

    /** Times of R are even and those of S are odd, so no two are the same. */
    private[this] def nextR: Long = (ofR * Second / rateR).toLong / 2 * 2

    private[this] def nextS: Long = (ofS * Second / rateS).toLong / 2 * 2 + 1

    /** Delivers what comes before a time of the streams: as fast as it is taken, or when it is due. */
    def until(time: Double, paced: Boolean): Unit = {
      val (from, begin) = (math.min(nextR, nextS), System.nanoTime())
      var at = from
      while (at < (time * Second).toLong) {
        val due = if (paced) begin + (at - from) * 1000 else System.nanoTime()
        consumer.awaitTime(due)
        if (nextR < nextS) {
          consumer.deliver(tuple(at, 0, Side.R, due))
          ofR += 1
        } else {
          consumer.deliver(tuple(at, 1, Side.S, due))
          ofS += 1
        }
        at = math.min(nextR, nextS)
      }
    }

    private[this] def tuple(at: Long, source: Int, side: Side, due: Long): StreamTuple =
      new StreamTuple(at, source, ofR + ofS, side, pairs.next(), java.lang.Long.valueOf(due))
  }
}

/** What a join did with streams of a steady rate: more seconds than the streams lasted where it did not hold
  * them. Latencies are in nanoseconds, from when a result's later tuple was due.
  */
final private case class PacedRun(seconds: Double, results: Long, latencies: Histogram)

private object PacedStreams {
  private val Second = 1000000L
  private val WarmSeconds = 1.0
}
