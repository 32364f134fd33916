package io.scalegate.bench.figure

import io.scalegate.bench.join.{BandJoinMain, PacedConsumer}

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
      val run = streams.run(BandJoinMain.strategy(arm, workers, r / s), args(5).toDouble)
      println(
        s"""{"arm": "${args(6)}/$arm", "threads": $workers, "seconds": ${args(5)}, """ +
          s"""${PacedConsumer.fields(run.latencies)}}"""
      )
    }
  }
}
