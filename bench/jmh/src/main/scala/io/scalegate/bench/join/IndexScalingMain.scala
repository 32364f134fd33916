package io.scalegate.bench.join

/** What index joins sustain over the number of threads and the size of the window, on the workload of
  * [[MergeLatencyMain]] (PIM-Tree Fig. 8a and 12): two tuples of the opposite window match. As many
  * tuples as both windows hold are timed, so that each index with the paper's merge ratio of one
  * merges. Prints one line of JSON for each arm, window and number of threads.
  *
  * Arguments: runs, the numbers of threads and the logarithms of the windows, each list separated by
  * commas, and the arms: `indexjoin` takes one thread, `parallel` and the others of [[BandJoinMain]]
  * as many as are given.
  */
object IndexScalingMain {
  def main(args: Array[String]): Unit = {
    if (args.length < 4) {
      System.err.println("arguments: RUNS THREADS,... LOG_WINDOW,... ARM ...")
      sys.exit(2)
    }
    val runs = args(0).toInt
    val counts = args(1).split(',').map(_.toInt).toSeq
    for (log <- args(2).split(',').map(_.toInt); arm <- args.drop(3)) {
      val tuples = math.max(2 << log, LeastTuples)
      val workload = new MergeWorkload(1 << log, tuples)
      for (threads <- if (arm == "indexjoin") Seq(1) else counts) {
        val join = BandJoinMain.strategy(arm, threads, 1)
        def run() = workload.run(join, workload.AsFastAsItCan)
        if (log <= WarmedByFilling) run()
        val results = Seq.fill(runs)(run())
        println(
          ArmResult.json(
            s"$arm/w=2^$log",
            threads,
            results.map(r =>
              ArmResult(r.seconds, r.matches, r.compared, None, Some(tuples.toLong))
            )
          )
        )
      }
    }
  }

  private[this] val LeastTuples = 1 << 19

  /** Larger windows warm the code up while they fill. */
  private[this] val WarmedByFilling = 18
}
