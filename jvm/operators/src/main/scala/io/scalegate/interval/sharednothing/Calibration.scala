package io.scalegate.interval.sharednothing

import io.scalegate.interval.{IntervalPattern, KeyCounts, KeySplitting, KeyTable}
import io.scalegate.partition.KeySplit

/** What the master makes of the emitters' frequencies (PPOIJ §4.3): the global distribution, and
  * from it, by Algorithm 1 without its lines 4 to 10, the plan. One thread.
  *
  * @param streams
  *   the emitters, each of which is heard once
  */
final private[sharednothing] class Calibration(
    pattern: IntervalPattern.Calibrated,
    replicas: Int,
    streams: Int
) {
  private[this] val algorithm = new KeySplit(
    replicas,
    pattern.theta,
    math.min(pattern.maxSplitting.getOrElse(replicas), replicas),
    pattern.choice
  )
  private[this] val frequencies = new java.util.TreeMap[Long, Long]
  private[this] var heard = 0

  /** Adds an emitter's frequencies, and returns the plan after the last one; null before. */
  def add(counts: KeyCounts): SplitPlan = {
    for (cell <- 0 until counts.cells if counts.isUsed(cell))
      frequencies.merge(
        counts.key(cell),
        counts.countOfR(cell).toLong + counts.countOfS(cell),
        (a, b) => a + b
      )
    heard += 1
    if (heard == streams) plan() else null
  }

  private[this] def plan(): SplitPlan = {
    val keys = new Array[Long](frequencies.size)
    val loads = new Array[Double](frequencies.size)
    var i = 0
    frequencies.forEach { (key, count) =>
      keys(i) = key
      loads(i) = count.toDouble
      i += 1
    }
    val assigned = algorithm.rebalance(loads, keys.map(KeyTable.spread(_, replicas)))
    val degrees = keys.indices.map(assigned.degree)
    new SplitPlan(
      keys.indices.filter(degrees(_) > 1).map(k => keys(k) -> assigned.replicasOf(k).toArray).toMap,
      KeySplitting(1, assigned.averageDegree, degrees.maxOption.getOrElse(1))
    )
  }
}
