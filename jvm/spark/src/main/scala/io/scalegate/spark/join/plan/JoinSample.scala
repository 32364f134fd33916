package io.scalegate.spark.join.plan

import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.band.{Band, IntegralBand}
import io.scalegate.lookup.BandIndex
import io.scalegate.spark.join.KeyBound
import io.scalegate.spark.plan.{FoundOnce, InputSample}
import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.stream.Sides

/** What a few rows of both inputs show of a join: which keys are frequent and which bounds let little through. The
  * sample is kept with the join in the plan.
  */
final class JoinSample(
    val left: InputSample,
    val right: InputSample,
    key: Option[KeyBound],
    bands: Seq[Band]
) {

  /** The share of pairs that the i-th difference lets through.
    *
    * Rows that lie together in a file are often near in time too, and near means that they pass: only rows of different
    * partitions are compared, where there are several. Of an attribute that a file is sorted by those are too far
    * apart; then the band's share of the range that was seen says more.
    */
  def share(i: Int): Double = {
    val column = i + key.size
    val (ls, rs) = (left.partitions.map(_(column)), right.partitions.map(_(column)))
    val several = ls.length > 1 && rs.length > 1
    val pairs =
      for { l <- ls.indices; r <- rs.indices if l != r || !several } yield (ls(l), rs(r))
    val all = pairs.map { case (l, r) => l.length.toDouble * r.length }.sum
    val passing = pairs.map { case (l, r) =>
      l.length.toDouble * r.length * BandIndex.sharePassing(bands(i), l, r)
    }.sum
    math.max(passing / math.max(1, all), ofRange(bands(i), (ls ++ rs).flatten))
  }

  private[this] def ofRange(band: Band, seen: Seq[Long]): Double = band match {
    case IntegralBand(_, lower, upper) =>
      math.min(1, (upper.toDouble - lower + 1) / (seen.max.toDouble - seen.min + 1))
    case _ => 0
  }

  /** The share that all let through, as if each knew nothing of the others. */
  lazy val shareOfAll: Double = bands.indices.map(share).product
}

object JoinSample {

  /** Samples both inputs, once for a join and all the copies that adaptive execution makes of it. None where one of
    * them cannot be sampled at little cost, where the inputs are so small that nothing is to be gained, and where the
    * plan is only looked at.
    */
  def forJoin(c: WindowJoinCandidate, conf: SQLConf): Option[JoinSample] =
    Samples.in(c.join)(session => if (isWorth(c.join, conf)) read(session, c, conf) else None)

  private[this] def read(
      session: SparkSession,
      c: WindowJoinCandidate,
      conf: SQLConf
  ): Option[JoinSample] = {
    val rows = ScaleGateConf.sampleRows(conf)
    val inputs = Sides(
      c.join.left -> (c.key.map(_.left) ++: c.differences.map(_.storedLeft)),
      c.join.right -> (c.key.map(_.right) ++: c.differences.map(_.storedRight))
    )
    InputSample
      .ofBoth(session, inputs, rows)
      .map(read => new JoinSample(read.left, read.right, c.key, c.differences.map(_.band)))
  }

  /** From the size on at which Spark would no longer broadcast one input. */
  private[this] def isWorth(join: Join, conf: SQLConf): Boolean =
    join.left.stats.sizeInBytes + join.right.stats.sizeInBytes > conf.autoBroadcastJoinThreshold

  private[this] val Samples = new FoundOnce[JoinSample]("scalegate.sample")
}
