package io.scalegate.bench.join

import org.HdrHistogram.Histogram

import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.bench.index.BandKeys
import io.scalegate.indexjoin.SelfJoinStrategy
import io.scalegate.join.{JoinSpec, JoinStrategy, RunningJoin}
import io.scalegate.stream.{CountWindow, Side, StreamTuple}

/** What merges cost the results that come meanwhile (PIM-Tree §4.2), on the paper's workload (§5):
  * two streams in turn, uniform keys, a row-count window of `w` tuples on each, a band that matches
  * two of them. Each arm takes tuples as fast as it can, which is its throughput, and then at a
  * steady load that is a share of the slower arm's: latencies are recorded in both phases. Arms take
  * turns, after a round that warms them up and measures what they sustain; all must find as many
  * matches. Prints one line of JSON for each window and arm: medians of the runs' percentiles.
  *
  * Arguments: threads, the load as a share of the slower arm's throughput, tuples of both streams in
  * each phase, runs, the arms separated by commas (those of [[BandJoinMain]] that are joins), and the
  * logarithms of the windows.
  */
object MergeLatencyMain {
  def main(args: Array[String]): Unit = {
    if (args.length < 6) {
      System.err.println("arguments: THREADS LOAD TUPLES RUNS ARM,... LOG_WINDOW ...")
      sys.exit(2)
    }
    val (threads, load, tuples) = (args(0).toInt, args(1).toDouble, args(2).toInt)
    require(load > 0 && load < 1, s"the load is a share between 0 and 1, not $load")
    val arms = args(4).split(',').toSeq
    val joins = arms.map(BandJoinMain.strategy(_, threads, 1))
    for (log <- args.drop(5).map(_.toInt)) {
      val workload = new MergeWorkload(1 << log, tuples)
      val sustained = joins.map(workload.run(_, workload.AsFastAsItCan).throughput)
      val rate = load * sustained.min
      val rounds =
        Seq.tabulate(args(3).toInt)(turn => Rotation(joins, turn)(workload.run(_, rate)))
      require(rounds.flatten.map(_.matches).distinct.size == 1, "the arms differ in matches")
      for ((arm, runs) <- arms.zip(rounds.transpose))
        println(json(s"$arm/w=2^$log", threads, tuples, rate, runs))
    }
  }

  private[this] def json(
      arm: String,
      threads: Int,
      tuples: Int,
      rate: Double,
      runs: Seq[MergeRun]
  ): String = {
    val percentiles = for {
      (phase, latencies) <- Seq("" -> runs.map(_.steady), "saturated " -> runs.map(_.saturated))
      (name, p) <- Seq("p50" -> 50.0, "p99" -> 99.0, "p99.9" -> 99.9, "max" -> 100.0)
      middle <- ArmResult.median(latencies.map(PacedConsumer.millis(_, p)))
    } yield f""""$phase$name ms": $middle%.3f"""
    (Seq(
      s""""arm": "$arm", "threads": $threads, "matches": ${runs.head.matches}""",
      s""""tuples": $tuples, "seconds": ${runs
          .map(r => f"${r.seconds}%.4f")
          .mkString("[", ", ", "]")}""",
      f""""load tuples/s": $rate%.0f"""
    ) ++ percentiles).mkString("{", ", ", "}")
  }
}

/** What one run of one arm did.
  *
  * @param seconds
  *   what the tuples took at saturation
  * @param compared
  *   comparisons by thread, then
  */
final private[bench] case class MergeRun(
    seconds: Double,
    throughput: Double,
    matches: Long,
    compared: Vector[Long],
    saturated: Histogram,
    steady: Histogram
)

/** The streams of one window: tuple `i` comes at time `i`, even ones are of R.
  *
  * @param distribution
  *   of the keys, see [[io.scalegate.bench.index.BandKeys]]; after `plane/` a tuple has two of them, and the
  *   join a band on each
  * @param matches
  *   tuples of the opposite window that a tuple matches on average
  * @param isSelf
  *   whether all tuples are of one stream, which is joined with itself
  */
final private[bench] class MergeWorkload(
    window: Int,
    tuples: Int,
    distribution: String = "uniform",
    matches: Double = 2,
    isSelf: Boolean = false
) {

  /** A rate at which nobody waits for a tuple. */
  val AsFastAsItCan: Double = Double.PositiveInfinity

  private[this] val bands = if (distribution.startsWith(MergeWorkload.Plane)) 2 else 1
  private[this] def keys = {
    // Of two bands each lets so many through that both let through as many as are asked for.
    val each = if (bands == 1) matches else math.sqrt(matches * window)
    new BandKeys(distribution.stripPrefix(MergeWorkload.Plane), window, each)
  }
  private[this] val spec = {
    val diff = keys.diff
    val band = IntegralBand(AttributeType.Int64, -diff, diff)
    JoinSpec(CountWindow(window.toLong), Vector.fill(bands)(band))
  }

  /** @param rate
    *   tuples a second of the steady phase, which is left out where nobody would wait
    */
  def run(strategy: JoinStrategy, rate: Double): MergeRun = {
    val join = strategy match {
      case self: SelfJoinStrategy if isSelf => self.openSelf(spec, 1, PacedConsumer.Options)
      case _ if isSelf =>
        throw new IllegalArgumentException(s"${strategy.name} joins no stream with itself")
      case _ => strategy.open(spec, Vector(Side.R, Side.S), PacedConsumer.Options)
    }
    try new MergePhases(join).run(rate)
    finally join.close()
  }

  final private[this] class MergePhases(join: RunningJoin) {
    private[this] val consumer = new PacedConsumer(join)
    private[this] val drawn = keys
    private[this] var next = 0

    def run(rate: Double): MergeRun = {
      feed(2 * window, AsFastAsItCan)
      val saturated = consumer.recordFrom(next.toLong)
      val (before, begin) = (JoinArm.compared(join), System.nanoTime())
      feed(tuples, AsFastAsItCan)
      val compared = JoinArm.comparedSince(join, before)
      val seconds = (System.nanoTime() - begin) / 1e9
      val steady = consumer.recordFrom(next.toLong)
      if (rate < AsFastAsItCan) feed(tuples, rate)
      MergeRun(seconds, tuples / seconds, consumer.results, compared, saturated, steady)
    }

    /** Delivers so many tuples more, and takes their results. */
    private[this] def feed(count: Int, rate: Double): Unit = {
      val begin = System.nanoTime()
      for (i <- 0 until count) {
        val due = if (rate < AsFastAsItCan) begin + (i * 1e9 / rate).toLong else System.nanoTime()
        consumer.awaitTime(due)
        deliver(due)
      }
      consumer.awaitResults(next.toLong)
    }

    private[this] def deliver(due: Long): Unit = {
      val (side, source) =
        if (isSelf) (Side.S, 0) else if (next % 2 == 0) (Side.R, 0) else (Side.S, 1)
      val progress = math.min(1.0, math.max(0.0, (next - 2 * window).toDouble / tuples))
      val attrs = Array.fill(bands)(drawn.next(progress))
      val row = java.lang.Long.valueOf(due)
      consumer.deliver(new StreamTuple(next.toLong, source, next.toLong, side, attrs, row))
      next += 1
    }
  }
}

private object MergeWorkload {
  val Plane = "plane/"
}
