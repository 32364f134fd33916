package io.scalegate.bench.figure

import io.scalegate.bench.join.BandJoinMain

/** Highest rates of window joins over the number of threads and the length of the window: ScaleJoin
  * Fig. 5 to 7, DP-Join Fig. 5 and Table I. Prints one line of JSON for each arm, window and number
  * of threads.
  *
  * Arguments: the windows in milliseconds, the numbers of threads, milliseconds that are measured,
  * each list separated by commas, and the arms: those of [[BandJoinMain]] that are joins, and
  * `linear`, a matrix of one row. A layout such as `matrix-4x4` runs once, on its own number.
  */
object JoinScalingMain {
  private val WarmUpNanos = 2000000000L
  private val SettleNanos = 300000000L

  def main(args: Array[String]): Unit = {
    if (args.length < 4) {
      System.err.println("arguments: WINDOW_MILLIS,... THREADS,... MEASURED_MILLIS ARM ...")
      sys.exit(2)
    }
    val threads = args(1).split(',').map(_.toInt).toSeq
    for (arm <- args.drop(3).toSeq) {
      val counts = BandJoinMain.workers(arm).fold(threads)(Seq(_))
      new SaturatedJoin(WarmUpWindow).run(strategy(arm, counts.last), WarmUpNanos, SettleNanos)
      for (window <- args(0).split(',').map(_.toLong); n <- counts) {
        val join = new SaturatedJoin(window * 1000)
        val run = join.run(strategy(arm, n), SettleNanos, args(2).toLong * 1000000)
        println(run.json(s"$arm/window ${window / 1000.0} s", n, window / 1000.0))
      }
    }
  }

  private[this] val WarmUpWindow = 200000L

  private[this] def strategy(arm: String, threads: Int) = arm match {
    case "linear" => BandJoinMain.strategy(s"matrix-1x$threads", threads, 1)
    case _ => BandJoinMain.strategy(arm, threads, 1)
  }
}
