package io.scalegate.bench.figure

import org.HdrHistogram.Histogram

import io.scalegate.bench.join.{BandJoinMain, JoinArm, PacedConsumer}
import io.scalegate.join.JoinStrategy
import io.scalegate.stream.{Side, StreamTuple, TimeWindow}

/** How long results take at a steady rate, by the layout of the workers (DP-Join Fig. 6 and 7): the
  * band join over windows that are filled before anything is timed. Prints one line of JSON for each
  * arm.
  *
  * Arguments: the rates of R and of S a second, their windows in seconds, threads of the arms that are
  * no layout, seconds that are timed, a name that goes before the arms', and the arms (those of
  * [[BandJoinMain]] that are joins).
  */
object JoinLatencyMain {
  def main(args: Array[String]): Unit = {
    if (args.length < 8) {
      System.err.println(
        "arguments: RATE_R RATE_S WINDOW_R_SECONDS WINDOW_S_SECONDS THREADS SECONDS NAME ARM ..."
      )
      sys.exit(2)
    }
    val numbers = args.take(4).map(_.toDouble)
    val (r, s) = (numbers(0), numbers(1))
    val threads = args(4).toInt
    val streams = new PacedStreams(r, s, numbers(2), numbers(3))
    for (arm <- args.drop(7)) {
      val workers = BandJoinMain.workers(arm).getOrElse(threads)
      val latencies = streams.run(BandJoinMain.strategy(arm, workers, r / s), args(5).toInt)
      println(
        s"""{"arm": "${args(6)}/$arm", "threads": $workers, "seconds": ${args(5)}, """ +
          s"""${PacedConsumer.fields(latencies)}}"""
      )
    }
  }
}

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

  /** Latencies in nanoseconds, from when a result's later tuple was due. */
  def run(strategy: JoinStrategy, seconds: Int): Histogram = {
    val join = strategy.open(spec, Vector(Side.R, Side.S), PacedConsumer.Options)
    try {
      val feed = new Feed(new PacedConsumer(join))
      feed.until(filled, paced = false)
      feed.until(filled + WarmSeconds, paced = true)
      val latencies = feed.record()
      feed.until(filled + WarmSeconds + seconds, paced = true)
      latencies
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

private object PacedStreams {
  private val Second = 1000000L
  private val WarmSeconds = 1.0
}
