package io.scalegate.bench.index

import io.scalegate.bench.join.{ArmResult, Rotation}

/** PIM-Tree's own experiments (§5.1 and §5.2, Fig. 8b and 10b): two streams in turn, a row-count
  * window of `w` tuples on each, a band on one attribute that matches two tuples of a window on
  * average; the index-based window join alone, on one thread. Prints one line of JSON for each
  * window and index. The indexes take turns, and all must find as many matches.
  *
  * As many tuples are timed as fill the windows, if these are more than the argument says: each merge tree
  * merges as often as its ratio has it, and each chain archives, in the time that is measured.
  *
  * Arguments: distribution (`uniform`, `gaussian` or `drift`), the least tuples that are timed, runs, the
  * indexes separated by commas (see [[IndexUnderTest]]), and the logarithms of the windows.
  */
object MatchRateMain {

  /** Runs that are not timed: what fills a large window warms an index up. */
  private def warmUps(log: Int): Int = if (log < 19) 3 else if (log < 21) 1 else 0

  def main(args: Array[String]): Unit = {
    if (args.length < 5) {
      System.err.println("arguments: DISTRIBUTION TUPLES RUNS INDEX,... LOG_WINDOW ...")
      sys.exit(2)
    }
    val runs = args(2).toInt
    val indexes = args(3).split(',').toSeq
    for (log <- args.drop(4).map(_.toInt)) {
      val workload = new MatchRate(args(0), 1 << log, math.max(args(1).toInt, 2 << log))
      for (_ <- 1 to warmUps(log); index <- indexes) workload.run(index)
      val rounds = Seq.tabulate(runs)(turn => Rotation(indexes, turn)(workload.run))
      require(rounds.flatten.map(_.matches).distinct.size == 1, "the indexes differ in matches")
      for ((index, results) <- indexes.zip(rounds.transpose))
        println(ArmResult.json(s"match rate 2/${args(0)}/w=2^$log/$index", 1, results))
    }
  }
}
