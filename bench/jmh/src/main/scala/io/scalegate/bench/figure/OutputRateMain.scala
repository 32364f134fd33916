package io.scalegate.bench.figure

import io.scalegate.bench.join.BandJoinMain
import io.scalegate.partition.{MatrixLayout, StreamLoad}
import io.scalegate.stream.TimeWindow

/** The results a second of a matrix of workers, at a steady rate of both streams, beside what Expressions 3 and
  * 4 say of them (DP-Join Fig. 4). The rate is the one at which the streams need so many times the
  * comparisons that one worker makes, which is measured first. Prints one line of JSON for each layout.
  *
  * Arguments: what the streams ask for, in workers; the windows in seconds; seconds that are timed; and the
  * layouts, as `matrix-1x2`.
  */
object OutputRateMain {
  def main(args: Array[String]): Unit = {
    if (args.length < 4) {
      System.err.println("arguments: WORKERS_NEEDED WINDOW_SECONDS SECONDS LAYOUT ...")
      sys.exit(2)
    }
    val (needed, window, seconds) = (args(0).toDouble, args(1).toDouble, args(2).toDouble)
    val comparison = ofOneWorker(window)
    val rate = math.sqrt(needed / comparison / (2 * window))
    val load = StreamLoad.of(rate * Micro, rate * Micro, sliding(window))
    val most = load.results(UniformPairs.HitRate) / Micro
    val streams = new PacedStreams(rate, rate, window, window)
    for (arm <- args.drop(3)) {
      val workers = BandJoinMain.workers(arm).getOrElse(1)
      val run = streams.run(BandJoinMain.strategy(arm, workers, 1), seconds)
      val offered =
        MatrixLayout.linear(workers).offered(comparison * 1e6, UniformPairs.HitRate) / Micro
      val fields = Seq(
        "results/s" -> run.results / run.seconds,
        "by Expr. 3" -> most,
        "by Expr. 4" -> offered,
        "workers needed" -> load.workers(comparison * 1e6).toDouble,
        "tuples/s" -> rate
      ).map { case (name, value) => f""""$name": $value%.1f""" }
      println(
        fields.mkString(
          f"""{"arm": "$arm/$needed workers needed", "threads": $workers, """ +
            f""""tuples": ${(2 * rate * seconds).toLong}, "seconds": [${run.seconds}%.3f], """,
          ", ",
          "}"
        )
      )
    }
  }

  /** In seconds: the unit of the streams' times. */
  private[this] val Micro = 1e-6

  private[this] def sliding(seconds: Double) = {
    val micros = (seconds / Micro).toLong
    TimeWindow.sliding(micros, micros)
  }

  /** The seconds that one worker takes for a comparison, windows of this length full. */
  private[this] def ofOneWorker(window: Double): Double = {
    val join = new SaturatedJoin((window / Micro).toLong)
    val run = join.run(BandJoinMain.strategy("matrix-1x1", 1, 1), SettleNanos, MeasuredNanos)
    run.seconds / run.compared.sum
  }

  private[this] val SettleNanos = 2000000000L
  private[this] val MeasuredNanos = 3000000000L
}
