package io.scalegate.bench.join

/** What index joins sustain over the number of threads, the size of the window, the keys and how many
  * match (PIM-Tree Fig. 8a, 9a, 9d, 10c, 11a, 12 and 13), on the workload of [[MergeLatencyMain]]. As
  * many tuples as both windows hold are timed, so that each index with the paper's merge ratio of one
  * merges; of keys that drift, ten windows of a stream that is joined with itself (Fig. 13c). Prints one
  * line of JSON for each arm, window, workload and number of threads.
  *
  * Arguments: runs, the numbers of threads, the logarithms of the windows, the keys' distributions
  * (see [[MergeWorkload]]) and the match rates, each list separated by commas, and the arms: `indexjoin`,
  * `indexjoin-2d` and `bplus` take one thread, `parallel` and the others of [[BandJoinMain]] as many as are
  * given. After `self-` they join one stream with itself. What is `uniform` with a match rate
  * of 2 does not say so in its name.
  */
object IndexScalingMain {
  def main(args: Array[String]): Unit = {
    if (args.length < 6) {
      System.err.println(
        "arguments: RUNS THREADS,... LOG_WINDOW,... DISTRIBUTION,... MATCHES,... ARM ..."
      )
      sys.exit(2)
    }
    val runs = args(0).toInt
    def list(argument: Int) = args(argument).split(',').toSeq
    for {
      log <- list(2).map(_.toInt)
      arm <- args.drop(5)
      distribution <- list(3)
      matches <- list(4)
    } {
      val isSelf = arm.startsWith(OfOneStream)
      val strategy = arm.stripPrefix(OfOneStream)
      val windows = if (isSelf && distribution.startsWith("drift")) 10 else 2
      val tuples = math.max(windows << log, LeastTuples)
      val workload =
        new MergeWorkload(1 << log, tuples, distribution, matches.toDouble, isSelf)
      val usual = distribution == "uniform" && matches == "2"
      val name = s"$arm/w=2^$log" + (if (usual) "" else s"/$distribution/matches $matches")
      for (threads <- if (OneThread(strategy)) Seq(1) else list(1).map(_.toInt)) {
        val join = BandJoinMain.strategy(strategy, threads, 1)
        def run() = workload.run(join, workload.AsFastAsItCan)
        if (log <= WarmedByFilling) run()
        val results = Seq.fill(runs)(run()).map { r =>
          ArmResult(r.seconds, r.matches, r.compared, None, Some(tuples.toLong))
        }
        println(ArmResult.json(name, threads, results))
      }
    }
  }

  private[this] val OfOneStream = "self-"

  private[this] val OneThread = Set("indexjoin", "indexjoin-2d", "bplus")

  private[this] val LeastTuples = 1 << 19

  /** Larger windows warm the code up while they fill. */
  private[this] val WarmedByFilling = 18
}
