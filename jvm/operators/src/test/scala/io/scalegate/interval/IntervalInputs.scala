package io.scalegate.interval

import java.util.SplittableRandom

import io.scalegate.join.{JoinCase, JoinRuns, JoinSpec}
import io.scalegate.stream.{SaturatingMath, Side, StreamTuple}

/** Inputs whose keys are not alike: two sources that alternate, one tuple for each unit of time.
  */
object IntervalInputs {

  /** A key for the n-th tuple of the whole. */
  type Keys = (Int, SplittableRandom) => Long

  /** Gray's self-similar distribution: a share `skew` of the keys has a share `1 - skew` of the
    * tuples, and so on within either share.
    */
  def selfSimilar(keys: Int, skew: Double): Keys = {
    val exponent = math.log(skew) / math.log(1 - skew)
    (_, random) => (keys * math.pow(random.nextDouble(), exponent)).toLong
  }

  def uniform(keys: Int): Keys = (_, random) => random.nextInt(keys).toLong

  /** One key has half of the tuples. */
  def hot(key: Long, others: Keys): Keys =
    (i, random) => if (random.nextBoolean()) key else others(i, random)

  /** The first `n` tuples have the keys of `before`, the others those of `after`. */
  def drift(n: Int, before: Keys, after: Keys): Keys =
    (i, random) => if (i < n) before(i, random) else after(i, random)

  /** `n` tuples; the second attribute is a number below 100. */
  def input(n: Int, keys: Keys, spec: JoinSpec): JoinCase = {
    val random = new SplittableRandom(n)
    val tuples = Vector.tabulate(n) { i =>
      val side = if (i % 2 == 0) Side.R else Side.S
      JoinRuns.tuple(i.toLong, i % 2, i / 2L, side, keys(i, random), random.nextLong(100))
    }
    JoinCase(spec, Vector(Side.R, Side.S).map(s => s -> tuples.filter(_.side eq s)))
  }

  /** The order of arrival of a feed: up to `most` time units late. */
  def delayed(feed: Vector[StreamTuple], most: Int, seed: Long): Vector[StreamTuple] = {
    val random = new SplittableRandom(seed)
    feed.map(t => t.ts + random.nextInt(most + 1) -> t).sortBy(_._1).map(_._2)
  }

  /** The tuples of a feed that come too late for a bound, by the definition of a watermark. */
  def late(feed: Vector[StreamTuple], bound: Long): Vector[StreamTuple] =
    feed.foldLeft((Long.MinValue, Vector.empty[StreamTuple])) { case ((watermark, late), t) =>
      if (t.ts < watermark) (watermark, late :+ t)
      else (math.max(watermark, SaturatingMath.subtract(t.ts, bound)), late)
    }._2
}
