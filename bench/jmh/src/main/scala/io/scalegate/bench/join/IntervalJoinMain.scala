package io.scalegate.bench.join

import java.util.SplittableRandom

import org.HdrHistogram.Histogram

import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.baseline.ScaleOij
import io.scalegate.interval.sharednothing.SharedNothingJoin
import io.scalegate.interval.{IntervalJoin, IntervalPattern}
import io.scalegate.join.{JoinOptions, JoinStrategy, RunningJoin}
import io.scalegate.stream.{Side, StreamTuple}

/** The online interval join of the PPOIJ paper (§5.1): throughput of KP, DP and HP over the
  * number of keys, with self-similar frequencies. Streams alternate, one tuple for each unit of
  * time; a second attribute, uniform below 1,000,000, must be within 100, which stands for the
  * paper's condition and keeps results few. Prints one line of JSON for each number of keys,
  * pattern and number of threads, each after a warm-up.
  *
  * Arguments: tuples of both streams, `W` (`lwr = -W`, `upr = W`, in tuples), skew `s` (0.5 is
  * uniform, less is more skewed), the numbers of threads separated by commas, runs, and the numbers
  * of keys. Scale-OIJ takes part where its name is among those of the keys, at the end; so do the
  * patterns by emitters and collectors, as `emitters/8` with batches of 8, and HP alone with another
  * `θ`, as `emitters/8/1.2`. With `no-gate` among them
  * the patterns over one gate take no part.
  */
object IntervalJoinMain {
  import IntervalPattern.{Calibrated, DataPartitioned, Hybrid, KeyPartitioned}

  def main(args: Array[String]): Unit = {
    if (args.length < 6) {
      System.err.println(
        "arguments: TUPLES W SKEW THREADS,... RUNS KEYS ... [Scale-OIJ] [emitters/BATCH ...] [no-gate]"
      )
      sys.exit(2)
    }
    val (skew, runs) = (args(2).toDouble, args(4).toInt)
    require(skew > 0 && skew < 1, s"the skew is a share between 0 and 1, not $skew")
    val (numbers, named) = args.drop(5).partition(_.forall(_.isDigit))
    val others = named.filterNot(_ == "no-gate")
    val byGate = if (named.contains("no-gate")) Nil else patterns
    for (keys <- numbers.map(_.toInt)) {
      val workload = new IntervalWorkload(args(0).toInt, args(1).toLong, keys, skew)
      for (threads <- args(3).split(',').map(_.toInt)) {
        val arms = byGate.map(p => p.toString -> new IntervalJoin(threads, p)) ++
          others.flatMap(other(_, threads))
        val joins = arms.map(_._2)
        joins.foreach(workload.run) // warm-up
        val rounds = Seq.tabulate(runs)(turn => Rotation(joins, turn)(workload.run))
        for ((arm, results) <- arms.map(_._1).zip(rounds.transpose))
          println(ArmResult.json(
            s"interval/$arm/W=${args(1)}/keys=$keys/s=$skew",
            threads,
            results
          ))
      }
    }
  }

  /** The join by its pattern's name. */
  private[join] def join(name: String, threads: Int): JoinStrategy =
    patterns.find(_.toString == name).map(new IntervalJoin(threads, _)).getOrElse {
      throw new IllegalArgumentException(s"there is no pattern $name; give KP, DP or HP")
    }

  private[this] val ByEmitters = "emitters/([0-9]+)".r
  private[this] val OfTheta = "emitters/([0-9]+)/([0-9.]+)".r

  private[this] def other(name: String, threads: Int): Seq[(String, JoinStrategy)] = name match {
    case "Scale-OIJ" => Seq(name -> new ScaleOij(threads))
    case ByEmitters(batch) =>
      for (p <- Seq("KP" -> KeyPartitioned, "DP" -> DataPartitioned, "HP" -> Calibrated()))
        yield s"${p._1}-emitters-$batch" -> new SharedNothingJoin(threads, p._2, batch.toInt)
    case OfTheta(batch, theta) =>
      val pattern = Calibrated(theta.toDouble)
      Seq(s"HP-emitters-$batch-$theta" -> new SharedNothingJoin(threads, pattern, batch.toInt))
    case _ =>
      throw new IllegalArgumentException(s"there is no join $name: give Scale-OIJ or emitters/8")
  }

  private[this] val patterns = Seq(
    KeyPartitioned,
    DataPartitioned,
    Hybrid()
  )
}

/** Runs arms in turn: what disturbs, disturbs all. Each round begins with another arm, and every
  * other one goes backwards, so that none always runs behind the same one. Results are in the order
  * of the arms.
  */
private[bench] object Rotation {
  def apply[A, B](arms: Seq[A], turn: Int)(run: A => B): Seq[B] = {
    val numbered = arms.zipWithIndex
    val (before, from) = numbered.splitAt(turn % arms.size)
    val order = if (turn % 2 == 0) from ++ before else (from ++ before).reverse
    order.map { case (arm, i) => i -> run(arm) }.sortBy(_._1).map(_._2)
  }
}

/** The input of one number of keys, as columns. One thread feeds it and takes the results. */
final private class IntervalWorkload(tuples: Int, w: Long, keys: Int, skew: Double) {
  private[this] val near = IntegralBand(AttributeType.Int32, -100, 100)
  private[this] val spec = IntervalJoin.spec(-w, w, bands = Vector(near))
  private[this] val random = new SplittableRandom(keys.toLong)
  private[this] val exponent = math.log(skew) / math.log(1 - skew)
  private[this] val key =
    Array.fill(tuples)((keys * math.pow(random.nextDouble(), exponent)).toLong)
  private[this] val value = Array.fill(tuples)(random.nextLong(1000000))

  /** Begins with a heap that the arm before has left nothing in. */
  def run(strategy: JoinStrategy): ArmResult = {
    System.gc()
    val allocated = JoinArm.allocatedBytes()
    val (start, cpu) = (System.nanoTime(), JoinArm.cpuSeconds())
    val join = strategy.open(spec, Vector(Side.R, Side.S), JoinOptions())
    try {
      val matches = feed(join)
      val seconds = (System.nanoTime() - start) / 1e9
      val bytes = (JoinArm.allocatedBytes() - allocated).toDouble / tuples
      ArmResult(
        seconds,
        matches,
        JoinArm.compared(join),
        Some(bytes),
        Some(tuples.toLong),
        Some(JoinArm.cpuSeconds() - cpu)
      )
    } finally join.close()
  }

  /** Delivers the same tuples at a steady rate a second; latencies in nanoseconds, from when a result's
    * later tuple was due, once the windows are full.
    */
  def paced(strategy: JoinStrategy, rate: Double): Histogram = {
    System.gc()
    val join = strategy.open(spec, Vector(Side.R, Side.S), PacedConsumer.Options)
    try {
      val consumer = new PacedConsumer(join)
      val latencies = consumer.recordFrom(math.min(2 * w, tuples / 2L))
      val begin = System.nanoTime()
      for (i <- 0 until tuples) {
        val due = begin + (i * 1e9 / rate).toLong
        consumer.awaitTime(due)
        consumer.deliver(tuple(i, java.lang.Long.valueOf(due)))
      }
      consumer.awaitResults(tuples.toLong)
      latencies
    } finally join.close()
  }

  private[this] def feed(join: RunningJoin): Long = {
    val consumer = new Consumer(join)
    var i = 0
    while (i < tuples) {
      consumer.deliver(i % 2, tuple(i, key))
      i += 1
    }
    join.sources.foreach(_.close())
    consumer.finish()
  }

  private[this] def tuple(i: Int, row: AnyRef) = {
    val side = if (i % 2 == 0) Side.R else Side.S
    new StreamTuple(i.toLong, i % 2, i.toLong, side, Array(key(i), value(i)), row)
  }
}
