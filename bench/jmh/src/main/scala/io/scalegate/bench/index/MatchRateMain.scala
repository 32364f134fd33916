package io.scalegate.bench.index

import io.scalegate.bench.join.{ArmResult, Rotation}

/** PIM-Tree's own experiments on one thread (§5.1 and §5.2, Fig. 8b, 8c, 9b, 9c and 10): two streams
  * in turn, a row-count window of `w` tuples on each, a band on one attribute that matches so many
  * tuples of a window on average; the index-based window join alone. Prints one line of JSON for each
  * window, match rate and index. The indexes take turns, and all must find as many matches.
  *
  * As many tuples are timed as fill the windows, if these are more than the argument says: each merge tree
  * merges as often as its ratio has it, and each chain archives, in the time that is measured.
  *
  * Arguments: distribution (see [[BandKeys]]), the least tuples that are timed, runs, the indexes
  * separated by commas (see [[IndexUnderTest]]), the match rates separated by commas, or `steps` for
  * what each step costs at a match rate of two, and the logarithms of the windows.
  */
object MatchRateMain {

  /** Runs that are not timed: what fills a large window warms an index up. */
  private def warmUps(log: Int): Int = if (log < 19) 3 else if (log < 21) 1 else 0

  def main(args: Array[String]): Unit = {
    if (args.length < 6) {
      System.err.println(
        "arguments: DISTRIBUTION TUPLES RUNS INDEX,... MATCHES,...|steps LOG_WINDOW ..."
      )
      sys.exit(2)
    }
    val (runs, indexes) = (args(2).toInt, args(3).split(',').toSeq)
    val asked = args(4)
    for {
      log <- args.drop(5).map(_.toInt)
      matches <- (if (asked == "steps") "2" else asked).split(',')
    } {
      val tuples = math.max(args(1).toInt, 2 << log)
      val workload = new MatchRate(args(0), 1 << log, tuples, matches.toDouble)
      def arm(index: String) = s"match rate $matches/${args(0)}/w=2^$log/$index"
      for (_ <- 1 to warmUps(log); index <- indexes) workload.run(index)
      if (asked == "steps") {
        for (index <- indexes) workload.steps(index)
        for (index <- indexes) println(workload.steps(index).json(arm(index)))
      } else {
        val rounds = Seq.tabulate(runs)(turn => Rotation(indexes, turn)(workload.run))
        require(rounds.flatten.map(_.matches).distinct.size == 1, "the indexes differ in matches")
        for ((index, results) <- indexes.zip(rounds.transpose))
          println(ArmResult.json(arm(index), 1, results))
      }
    }
  }
}
