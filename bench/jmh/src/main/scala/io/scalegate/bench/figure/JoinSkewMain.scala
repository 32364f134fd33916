package io.scalegate.bench.figure

import io.scalegate.bench.join.{JoinArm, PacedConsumer}
import io.scalegate.join.RunningJoin
import io.scalegate.join.ordered.ScaleJoin
import io.scalegate.stream.{Side, StreamTuple, TimeWindow}

/** How evenly ScaleJoin's threads share the work when streams come in several parts at rates of their
  * own (ScaleJoin §VI, Fig. 8): constant rates, sine waves, and peaks. Times are those of the
  * streams, not of the clock: tuples are delivered as fast as they are taken. Prints one line of JSON
  * for each period once the first window is full: the comparisons of each thread in it, and the rates
  * of R and of S.
  *
  * Arguments: the window and a period, in seconds of the streams, and the number of periods.
  */
object JoinSkewMain {
  def main(args: Array[String]): Unit = {
    if (args.length < 3) {
      System.err.println("arguments: WINDOW_SECONDS PERIOD_SECONDS PERIODS")
      sys.exit(2)
    }
    val (window, period, periods) = (args(0).toInt, args(1).toInt, args(2).toInt)
    for (c <- SkewCase.all) new SkewRun(c, window, period).run(periods)
  }
}

/** Physical streams with their rates at a second of the streams.
  *
  * @param threads
  *   as many as the paper takes for the case
  */
final private case class SkewCase(name: String, threads: Int, streams: Vector[SkewStream])

final private case class SkewStream(side: Side, rate: Double => Double)

private object SkewCase {

  /** The paper gives the rates of the first case, and how many streams the others have; the waves and
    * peaks are ours.
    */
  val all: Seq[SkewCase] = Seq(
    SkewCase(
      "constant",
      10,
      SkewStream(Side.R, _ => 1200) +: Vector.fill(4)(SkewStream(Side.S, _ => 900.0 / 4))
    ),
    SkewCase(
      "sine",
      12,
      Vector(
        SkewStream(Side.R, wave(300, 200, 20)),
        SkewStream(Side.R, wave(400, 100, 35)),
        SkewStream(Side.R, wave(200, 150, 50)),
        SkewStream(Side.S, wave(500, 300, 30)),
        SkewStream(Side.S, wave(300, 250, 60))
      )
    ),
    SkewCase(
      "peaks",
      14,
      Vector.tabulate(4)(i => SkewStream(Side.R, peak(250, 1000, 40 + 15 * i))) ++
        Vector.tabulate(2)(i => SkewStream(Side.S, peak(500, 2000, 55 + 30 * i)))
    )
  )

  private[this] def wave(mean: Double, amplitude: Double, seconds: Double)(at: Double): Double =
    mean + amplitude * math.sin(2 * math.Pi * at / seconds)

  /** Five seconds of every `seconds`. */
  private[this] def peak(usual: Double, high: Double, seconds: Int)(at: Double): Double =
    if (at % seconds >= seconds - 5) high else usual
}

final private class SkewRun(of: SkewCase, window: Int, period: Int) {
  import SkewRun._

  private[this] val spec =
    JoinArm.spec(TimeWindow.sliding(window * Second, window * Second))
  private[this] val pairs = new UniformPairs(2)
  private[this] val next = of.streams.map(_ => 0.0).toArray
  private[this] var delivered = 0L

  def run(periods: Int): Unit = {
    val join = new ScaleJoin(of.threads).open(spec, of.streams.map(_.side), PacedConsumer.Options)
    try {
      var before = JoinArm.compared(join)
      for (p <- 1 to periods) {
        val begin = System.nanoTime()
        val counted = feed(join, p * period.toDouble)
        val shares = JoinArm.comparedSince(join, before)
        val seconds = (System.nanoTime() - begin) / 1e9
        if ((p - 1) * period >= window) print(p, seconds, counted, shares)
        before = JoinArm.compared(join)
      }
    } finally join.close()
  }

  private[this] def print(
      p: Int,
      seconds: Double,
      counted: Map[Side, Int],
      shares: Vector[Long]
  ): Unit = println(
    f"""{"arm": "skew/${of.name}/period $p", "threads": ${of.threads}, """ +
      f""""tuples": ${counted.values.sum}, "seconds": $seconds%.4f, """ +
      s""""comparisons": ${shares.sum}, "case": "${of.name}", "at s": ${p * period}, """ +
      s""""R tuples/s": ${counted(Side.R) / period}, "S tuples/s": ${counted(
          Side.S
        ) / period}, """ +
      s""""comparisons_by_thread": ${shares.mkString("[", ", ", "]")}}"""
  )

  /** Delivers, in order, what comes before a time, and waits until all of it is joined. */
  private[this] def feed(join: RunningJoin, until: Double): Map[Side, Int] = {
    val counted = scala.collection.mutable.Map[Side, Int](Side.R -> 0, Side.S -> 0)
    val idle = PacedConsumer.idle()
    def take(): Unit = if (join.poll() == null) idle.idle() else idle.reset()
    var i = earliest()
    while (next(i) < until) {
      val side = of.streams(i).side
      val t = tuple(i, side)
      join.sources.indices.foreach(k => if (k != i) join.sources(k).advance(t.ts))
      while (!join.sources(i).tryAdd(t)) take()
      counted(side) += 1
      next(i) += 1 / of.streams(i).rate(next(i))
      i = earliest()
    }
    val end = (until * Second).toLong
    join.sources.foreach(_.advance(end))
    while (join.frontier < end) take()
    counted.toMap
  }

  private[this] def earliest(): Int = next.indices.minBy(next(_))

  private[this] def tuple(source: Int, side: Side): StreamTuple = {
    delivered += 1
    val ts = (next(source) * Second).toLong
    new StreamTuple(ts, source, delivered, side, pairs.next(), SkewRun)
  }
}

private object SkewRun {

  /** Times are microseconds. */
  private val Second = 1000000L
}
