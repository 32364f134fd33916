package io.scalegate.bench.index

import java.util.SplittableRandom

import io.scalegate.bench.join.ArmResult
import io.scalegate.index.{PositionBuffer, RangeQuery, SlidingIndex}

/** The keys of two streams that take turns, and the width of a band that matches two tuples of the
  * opposite window on average (PIM-Tree §5).
  *
  * @param distribution
  *   `uniform`; `gaussian`, with a deviation of an eighth of the key space; or `drift`, a Gaussian
  *   of variance 1/8 whose mean moves by the whole key space while the timed tuples come (§5.2,
  *   r = 1)
  * @param window
  *   `w`, tuples of each stream
  * @param tuples
  *   those that are timed, of both streams, once the windows are full
  */
final class MatchRate(distribution: String, val window: Int, tuples: Int) {
  private[this] val random = new SplittableRandom(window.toLong)
  private[this] val filling = 2 * window
  private[this] val keys = Array.tabulate(filling + tuples)(key)

  /** A band of ±diff: the chance that two tuples lie so near is the density's integral of squares
    * times the width.
    */
  val diff: Long = {
    val width = 2.0 / window
    val concentration = distribution match {
      case "uniform" => 1.0
      case "gaussian" => 1 / (2 * MatchRate.Deviation * math.sqrt(math.Pi))
      case "drift" => 1 / (2 * MatchRate.DriftDeviation * math.sqrt(math.Pi))
    }
    (width / concentration / 2 * MatchRate.Space).toLong
  }

  /** All tuples in their order; even ones are of R. */
  def size: Int = keys.length

  private[this] def key(i: Int): Long = {
    val progress = math.max(0.0, (i - filling).toDouble / tuples)
    val at = distribution match {
      case "uniform" => random.nextDouble()
      case "gaussian" => 0.5 + MatchRate.Deviation * gaussian()
      case "drift" => 0.5 + progress + MatchRate.DriftDeviation * gaussian()
      case other =>
        throw new IllegalArgumentException(
          s"there is no distribution $other; give uniform, gaussian or drift"
        )
    }
    (at * MatchRate.Space).toLong
  }

  /** Fills two indexes, then times a probe and an insertion for each tuple. */
  def run(index: String): ArmResult = {
    val indexes = Array.fill(2)(IndexUnderTest(index, window))
    val query = new RangeQuery
    val found = new PositionBuffer
    var i = 0
    while (i < filling) {
      store(indexes(i & 1), i)
      i += 1
    }
    var matches = 0L
    val start = System.nanoTime()
    while (i < keys.length) {
      found.clear()
      indexes(1 - (i & 1)).search(query.keys(keys(i) - diff, keys(i) + diff), found)
      matches += found.size
      store(indexes(i & 1), i)
      i += 1
    }
    ArmResult(
      (System.nanoTime() - start) / 1e9,
      matches,
      Vector.empty,
      tuples = Some(tuples.toLong)
    )
  }

  private[this] def store(index: SlidingIndex, i: Int): Unit = {
    val position = (i >> 1).toLong
    index.insert(keys(i), position)
    index.expireBefore(position + 1 - window)
  }

  private[this] def gaussian(): Double =
    math.sqrt(-2 * math.log(1 - random.nextDouble())) *
      math.cos(2 * math.Pi * random.nextDouble())
}

private object MatchRate {

  /** Keys are spread over `[0, 2^40)`, so hardly any occurs twice in a window. */
  val Space: Double = (1L << 40).toDouble
  val Deviation = 0.125
  val DriftDeviation: Double = math.sqrt(0.125)
}
