package io.scalegate.bench.index

import io.scalegate.bench.join.ArmResult
import io.scalegate.index.{PositionBuffer, RangeQuery, SlidingIndex}

/** The index-based window join alone, on one thread: two streams take turns (PIM-Tree §5).
  *
  * @param distribution
  *   of the keys, see [[BandKeys]]; `drift` moves while the timed tuples come
  * @param window
  *   `w`, tuples of each stream
  * @param tuples
  *   those that are timed, of both streams, once the windows are full
  * @param matches
  *   tuples of the opposite window that a tuple matches on average
  */
final class MatchRate(distribution: String, val window: Int, tuples: Int, matches: Double = 2) {
  private[this] val filling = 2 * window
  private[this] val bands = new BandKeys(distribution, window, matches)
  private[this] val keys = Array.tabulate(filling + tuples) { i =>
    bands.next(math.max(0.0, (i - filling).toDouble / tuples))
  }

  def diff: Long = bands.diff

  /** All tuples in their order; even ones are of R. */
  def size: Int = keys.length

  /** Fills two indexes, then times a probe and an insertion for each tuple. */
  def run(index: String): ArmResult = {
    val indexes = filled(index)
    val probe = new Probe
    val start = System.nanoTime()
    var i = filling
    while (i < keys.length) {
      probe(indexes(1 - (i & 1)), i)
      store(indexes(i & 1), i)
      i += 1
    }
    ArmResult(
      (System.nanoTime() - start) / 1e9,
      probe.matches,
      Vector.empty,
      tuples = Some(tuples.toLong)
    )
  }

  /** What the steps of [[run]] cost (Fig. 10a), and what the indexes hold in the end (Fig. 11c). A
    * few tuples probe, then they are inserted, so that the clock is rarely asked.
    */
  def steps(index: String): StepCosts = {
    val indexes = filled(index)
    val probe = new Probe
    var (probing, inserting, merging) = (0L, 0L, 0L)
    var begin = filling
    while (begin < keys.length) {
      val end = math.min(begin + MatchRate.Block, keys.length)
      val start = System.nanoTime()
      for (i <- begin until end) probe(indexes(1 - (i & 1)), i)
      val middle = System.nanoTime()
      probing += middle - start
      val merges = indexes.map(_.merges).sum
      for (i <- begin until end) store(indexes(i & 1), i)
      val took = System.nanoTime() - middle
      if (indexes.map(_.merges).sum == merges) inserting += took else merging += took
      begin = end
    }
    StepCosts(tuples, probing, inserting, merging, indexes.map(_.memoryBytes).sum)
  }

  private[this] def filled(index: String) = {
    val indexes = Array.fill(2)(IndexUnderTest(index, window))
    var i = 0
    while (i < filling) {
      store(indexes(i & 1), i)
      i += 1
    }
    indexes
  }

  final private[this] class Probe {
    private[this] val query = new RangeQuery
    private[this] val found = new PositionBuffer
    var matches = 0L

    def apply(index: SlidingIndex, i: Int): Unit = {
      found.clear()
      index.search(query.keys(keys(i) - diff, keys(i) + diff), found)
      matches += found.size
    }
  }

  private[this] def store(index: SlidingIndex, i: Int): Unit = {
    val position = (i >> 1).toLong
    index.insert(keys(i), position)
    index.expireBefore(position + 1 - window)
  }
}

private object MatchRate {

  /** Tuples of which the steps are timed together. */
  val Block = 256
}
