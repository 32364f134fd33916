package io.scalegate.join.ordered

import scala.collection.mutable

import io.scalegate.join.RunningJoin
import io.scalegate.stream.{IdleStrategy, Side, StreamTuple}

/** Physical streams with rates of their own: one of ScaleJoin's three case studies of skew (§VI, Fig. 8). The
  * paper gives the rates of the first case, and how many streams the others have; the waves and peaks are ours.
  *
  * @param threads
  *   as many as the paper takes for the case
  * @param deviation
  *   the paper's standard deviation of the threads' comparisons, as a share of their mean
  */
final case class SkewCase(
    name: String,
    threads: Int,
    deviation: Double,
    streams: Vector[SkewedStream]
)

/** @param rate
  *   tuples a second, at a second of the stream
  */
final case class SkewedStream(side: Side, rate: Double => Double)

object SkewCase {
  val all: Seq[SkewCase] = Seq(
    SkewCase(
      "constant",
      10,
      0.0005,
      SkewedStream(Side.R, _ => 1200) +: Vector.fill(4)(SkewedStream(Side.S, _ => 900.0 / 4))
    ),
    SkewCase(
      "sine",
      12,
      0.001,
      Vector(
        SkewedStream(Side.R, wave(300, 200, 20)),
        SkewedStream(Side.R, wave(400, 100, 35)),
        SkewedStream(Side.R, wave(200, 150, 50)),
        SkewedStream(Side.S, wave(500, 300, 30)),
        SkewedStream(Side.S, wave(300, 250, 60))
      )
    ),
    SkewCase(
      "peaks",
      14,
      0.001,
      Vector.tabulate(4)(i => SkewedStream(Side.R, peak(250, 1000, 40 + 15 * i))) ++
        Vector.tabulate(2)(i => SkewedStream(Side.S, peak(500, 2000, 55 + 30 * i)))
    )
  )

  private[this] def wave(mean: Double, amplitude: Double, seconds: Double)(at: Double): Double =
    mean + amplitude * math.sin(2 * math.Pi * at / seconds)

  /** Five seconds of every `seconds`. */
  private[this] def peak(usual: Double, high: Double, seconds: Int)(at: Double): Double =
    if (at % seconds >= seconds - 5) high else usual
}

/** Feeds a case's streams to a join and takes its results, as fast as it takes tuples: times are those of the
  * streams, in microseconds, and not of the clock. One thread.
  *
  * @param attributes
  *   of the next tuple
  */
final class SkewedFeed(
    of: SkewCase,
    join: RunningJoin,
    attributes: () => Array[Long],
    idle: IdleStrategy
) {
  private[this] val next = of.streams.map(_ => 0.0).toArray
  private[this] var delivered = 0L

  /** Delivers, in order, what comes before a second of the streams, and waits until all of it is joined.
    *
    * @return
    *   the tuples of each side
    */
  def until(second: Double): Map[Side, Int] = {
    val counted = mutable.Map[Side, Int](Side.R -> 0, Side.S -> 0)
    var i = earliest()
    while (next(i) < second) {
      val t = tuple(i)
      join.sources.indices.foreach(k => if (k != i) join.sources(k).advance(t.ts))
      while (!join.sources(i).tryAdd(t)) take()
      counted(t.side) += 1
      next(i) += 1 / of.streams(i).rate(next(i))
      i = earliest()
    }
    val end = (second * SkewedFeed.Second).toLong
    join.sources.foreach(_.advance(end))
    while (join.frontier < end) take()
    counted.toMap
  }

  private[this] def take(): Unit = if (join.poll() == null) idle.idle() else idle.reset()

  private[this] def earliest(): Int = next.indices.minBy(next(_))

  private[this] def tuple(source: Int): StreamTuple = {
    delivered += 1
    val ts = (next(source) * SkewedFeed.Second).toLong
    new StreamTuple(ts, source, delivered, of.streams(source).side, attributes(), SkewedFeed)
  }
}

object SkewedFeed {

  /** In the unit of the streams' times. */
  val Second = 1000000L
}
