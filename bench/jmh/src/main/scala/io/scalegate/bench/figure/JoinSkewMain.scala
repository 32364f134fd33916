package io.scalegate.bench.figure

import io.scalegate.bench.join.{JoinArm, PacedConsumer}
import io.scalegate.join.ordered.{ScaleJoin, SkewCase, SkewedFeed}
import io.scalegate.stream.{Side, TimeWindow}

/** How evenly ScaleJoin's threads share the work when streams come in several parts at rates of their
  * own (ScaleJoin §VI, Fig. 8): constant rates, sine waves, and peaks. Times are those of the
  * streams, not of the clock: tuples are delivered as fast as they are taken. Prints one line of JSON
  * for each period once the first window is full: the comparisons of each thread in it, and the rates
  * of R and of S.
  *
  * Arguments: the window and a period, in seconds of the streams, and the number of periods.
  */
object JoinSkewMain {
  def main(args: Array[String]): Unit = {
    if (args.length < 3) {
      System.err.println("arguments: WINDOW_SECONDS PERIOD_SECONDS PERIODS")
      sys.exit(2)
    }
    val (window, period, periods) = (args(0).toInt, args(1).toInt, args(2).toInt)
    for (c <- SkewCase.all) new SkewRun(c, window, period).run(periods)
  }
}

/** A case over periods of the streams. */
final private class SkewRun(of: SkewCase, window: Int, period: Int) {
  private[this] val spec =
    JoinArm.spec(TimeWindow.sliding(window * SkewedFeed.Second, window * SkewedFeed.Second))

  def run(periods: Int): Unit = {
    val join = new ScaleJoin(of.threads).open(spec, of.streams.map(_.side), PacedConsumer.Options)
    try {
      val pairs = new UniformPairs(2)
      val feed = new SkewedFeed(of, join, () => pairs.next(), PacedConsumer.idle())
      var before = JoinArm.compared(join)
      for (p <- 1 to periods) {
        val begin = System.nanoTime()
        val counted = feed.until(p * period.toDouble)
        val shares = JoinArm.comparedSince(join, before)
        val seconds = (System.nanoTime() - begin) / 1e9
        if ((p - 1) * period >= window) print(p, seconds, counted, shares)
        before = JoinArm.compared(join)
      }
    } finally join.close()
  }

  private[this] def print(
      p: Int,
      seconds: Double,
      counted: Map[Side, Int],
      shares: Vector[Long]
  ): Unit = println(
    f"""{"arm": "skew/${of.name}/period $p", "threads": ${of.threads}, """ +
      f""""tuples": ${counted.values.sum}, "seconds": $seconds%.4f, """ +
      s""""comparisons": ${shares.sum}, "case": "${of.name}", "at s": ${p * period}, """ +
      s""""R tuples/s": ${counted(Side.R) / period}, "S tuples/s": ${counted(
          Side.S
        ) / period}, """ +
      s""""comparisons_by_thread": ${shares.mkString("[", ", ", "]")}}"""
  )
}
