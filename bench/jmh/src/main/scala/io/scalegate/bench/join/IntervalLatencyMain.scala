package io.scalegate.bench.join

import org.HdrHistogram.Histogram

import io.scalegate.baseline.ScaleOij

/** How long results of the online interval join take at a steady load (PPOIJ §5.2 and §5.3, Fig. 16 and
  * 18), on the workload of [[IntervalJoinMain]]: first what each arm sustains, which warms it up, then a
  * share of the slowest one's, from when the windows are full. Prints one line of JSON for each skew and
  * arm.
  *
  * Arguments: tuples of both streams in each phase, `W` in tuples, the number of keys, threads, the load as
  * a share of the slowest arm's throughput, the arms separated by commas (`KP`, `DP`, `HP`, `Scale-OIJ`),
  * and the skews.
  */
object IntervalLatencyMain {
  def main(args: Array[String]): Unit = {
    if (args.length < 7) {
      System.err.println("arguments: TUPLES W KEYS THREADS LOAD ARM,... SKEW ...")
      sys.exit(2)
    }
    val (keys, threads, load) = (args(2).toInt, args(3).toInt, args(4).toDouble)
    require(load > 0 && load < 1, s"the load is a share between 0 and 1, not $load")
    val arms = args(5).split(',').toSeq
    val joins = arms.map {
      case "Scale-OIJ" => new ScaleOij(threads)
      case pattern => IntervalJoinMain.join(pattern, threads)
    }
    for (skew <- args.drop(6)) {
      val workload = new IntervalWorkload(args(0).toInt, args(1).toLong, keys, skew.toDouble)
      val slowest = joins.map(workload.run).map(run => run.tuples.get / run.seconds).min
      for ((arm, join) <- arms.zip(joins)) {
        val latencies = workload.paced(join, load * slowest)
        println(
          s"""{"arm": "$arm/keys=$keys/s=$skew", "threads": $threads, "tuples": ${args(0)}, """ +
            s"""${fields(load * slowest, args(0).toInt, latencies)}}"""
        )
      }
    }
  }

  private[this] def fields(rate: Double, tuples: Int, latencies: Histogram): String = {
    val more = Percentiles.map { p =>
      f""""p$p ms": ${PacedConsumer.millis(latencies, p.toDouble)}%.4f"""
    }
    val load = f""""seconds": [${tuples / rate}%.3f], "load tuples/s": $rate%.0f"""
    (load +: PacedConsumer.fields(latencies) +: more).mkString(", ")
  }

  /** Beside those of [[PacedConsumer]]. */
  private[this] val Percentiles = Seq(5, 25, 75, 90, 95)
}
