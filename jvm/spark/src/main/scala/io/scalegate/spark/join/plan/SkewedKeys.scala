package io.scalegate.spark.join.plan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.logical.statsEstimation.EstimationUtils

import io.scalegate.partition.{HotKey, KeyAssignment, KeySlices, KeySplit, SplitChoice}
import io.scalegate.spark.plan.InputSample
import io.scalegate.spark.rows.PartitionIds
import io.scalegate.stream.Side

/** The keys of a join that are too frequent for one partition, each cut into slices that are spread over several, by
  * Algorithm 1 of the PPOIJ paper (§3.3) on the frequencies of a sample.
  *
  * A key's load is what its rows take, and the comparisons expected among them. The keys that the sample shows to be a
  * large part of a partition stay in the one that their hash gives them, beside an even share of all the others, and
  * are split until no partition has more than `theta` times the average. Found when a join is planned.
  */
final case class SkewedKeys(slices: KeySlices, keys: Int, mostSlices: Int, isCut: Boolean) {
  def describe: String = {
    val how =
      if (isCut) "slices of the window's attribute" else "parts, the other side copied to each"
    s"$keys hot ${if (keys == 1) "key" else "keys"} in up to $mostSlices $how"
  }
}

object SkewedKeys {

  /** None when no key is.
    *
    * @param single
    *   the side whose rows must not be copied
    * @param theta
    *   see `ScaleGateConf.HotKeyTheta`
    */
  def find(
      c: WindowJoinCandidate,
      sample: JoinSample,
      single: Side,
      partitions: Int,
      theta: Double
  ): Option[SkewedKeys] = {
    def split(loads: SampledKeyLoads, most: Int): KeyAssignment =
      new KeySplit(partitions, theta, most, SplitChoice.Busiest).rebalance(
        loads.frequent.map(loads.loadOf).toArray,
        loads.frequent.map(PartitionIds.partitionOf(_, partitions)).toArray,
        Array.fill(partitions)(loads.ofOthers / partitions)
      )
    val loads = new SampledKeyLoads(c, sample, single, partitions)
    val position = c.differences.indexOf(c.sweep) + 1
    val positions = sample.left.column(position) ++ sample.right.column(position)
    def cuts(slices: Int) =
      KeySlices.cuts(c.sweep.band, positions.min, positions.max, slices)
    val wanted = split(loads, partitions)
    val cut = cuts(mostOf(wanted))
    val plan =
      if (cut.nonEmpty) wanted
      else split(loads, math.min(partitions, loads.mostCopies(wanted)))
    if (mostOf(plan) < 2) None
    else {
      val ids = new PartitionIds(partitions)
      val hot = for {
        (key, i) <- loads.frequent.zipWithIndex if plan.degree(i) > 1
      } yield HotKey(key, plan.replicasOf(i).map(ids.next).toArray)
      val slices = new KeySlices(hot, single, cut)
      Some(SkewedKeys(slices, hot.length, mostOf(plan), cut.nonEmpty))
    }
  }

  private[this] def mostOf(plan: KeyAssignment): Int =
    plan.replicasOf.map(_.length).maxOption.getOrElse(0)
}

/** What the keys of a join cost, in comparisons, by a sample of them. */
final private class SampledKeyLoads(
    c: WindowJoinCandidate,
    sample: JoinSample,
    single: Side,
    partitions: Int
) {
  import SampledKeyLoads._

  private[this] val inR = sample.left.counts
  private[this] val inS = sample.right.counts
  private[this] val rowsOfR = rowsIn(c.join.left)
  private[this] val rowsOfS = rowsIn(c.join.right)

  private[this] val keys = inR.keySet ++ inS.keySet

  private[this] val total: Double = {
    val pairs = keys.iterator.map(k => ofR(k) * ofS(k)).sum
    (rowsOfR + rowsOfS) * Tuple + pairs * sample.shareOfAll
  }

  def loadOf(key: Long): Double = {
    val (r, s) = (ofR(key), ofS(key))
    (r + s) * Tuple + r * s * sample.shareOfAll
  }

  /** The keys that are a large part of a partition, and of which the sample has so many rows, from so many of its
    * parts, that it is no chance.
    */
  val frequent: IndexedSeq[Long] =
    keys
      .filter(k => seen(k) >= SeenRows && loadOf(k) * partitions >= LargePart * total)
      .toVector
      .sorted

  /** The rows of a key, on the sides on which most parts of the sample agree. */
  private[this] def seen(key: Long): Int = {
    def agreed(side: InputSample) = if (side.isSpread(key)) side.counts(key) else 0
    if (inR(key) + inS(key) < SeenRows) 0 else agreed(sample.left) + agreed(sample.right)
  }

  val ofOthers: Double = math.max(0, total - frequent.map(loadOf).sum)

  /** Into how many parts the keys that this plan splits may be split, at least two, without making more copies than
    * there are rows.
    */
  def mostCopies(plan: KeyAssignment): Int = {
    val copied = frequent.indices.filter(plan.degree(_) > 1).map { i =>
      if (single eq Side.R) ofS(frequent(i)) else ofR(frequent(i))
    }.sum
    math.max(2, math.min(1e6, 1 + (rowsOfR + rowsOfS) / math.max(copied, 1)).toInt)
  }

  private[this] def ofR(key: Long): Double = rowsOfR * inR(key) / sample.left.rows
  private[this] def ofS(key: Long): Double = rowsOfS * inS(key) / sample.right.rows
}

private object SampledKeyLoads {
  private def rowsIn(input: LogicalPlan): Double = {
    val stats = input.stats
    stats.rowCount.getOrElse(
      stats.sizeInBytes / EstimationUtils.getSizePerRow(input.output)
    ).toDouble
  }

  private val SeenRows = 8

  private val LargePart = 0.25

  /** What it takes to exchange, order and probe with a row. */
  private val Tuple = 32.0
}
