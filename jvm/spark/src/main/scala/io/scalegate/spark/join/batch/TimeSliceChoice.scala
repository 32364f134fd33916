package io.scalegate.spark.join.batch

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{BinaryNode, LogicalPlan}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.partition.{HotKey, TimeSlices}
import io.scalegate.spark.plan.{
  ColumnLineage,
  EvenSample,
  FoundOnce,
  InputSample,
  SampledRow,
  WeightedValues
}
import io.scalegate.spark.rows.PartitionIds
import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.stream.Sides

/** Cuts the inputs of a join along time where one task would have most of the rows: those of a join without a key, and
  * those of a key that is most of a core's share.
  *
  * Where the cuts lie is found by a job that reads the keys and times of both inputs once, as Spark does before it sorts.
  * It is found once for a join and all the copies that adaptive execution makes of it. They are read where they come from,
  * below all joins and aggregates ([[ColumnLineage]]): a key that is frequent there may not be frequent any more, and to
  * cut it costs little.
  *
  * @param join
  *   whose left rows are in one slice each
  * @param attributes
  *   of both sides: the key, if there is one, and the time
  * @param copies
  *   of the right rows; where these are all within reach, slices are so few that a row is in two on average
  */
final private[join] class TimeSliceChoice(
    join: BinaryNode,
    attributes: Sides[Seq[Expression]],
    copies: SliceCopies
) {
  import TimeSliceChoice._

  private[this] val keyed = attributes.left.length > 1

  /** None where nothing is to be cut, where that would cost more, and where the plan is only looked at. */
  def find(conf: SQLConf): Option[SlicedInputs] =
    slices(conf).map(SlicedInputs(_, attributes, copies, keyed))

  private[this] def slices(conf: SQLConf): Option[TimeSlices] = Slices.in(join) { session =>
    for {
      sources <- sourcesOf(conf)
      if !keyed || hasFrequentKey(session, sources, conf)
      found <- cut(session, sources.map(EvenSample.of(session, _)), conf)
    } yield found
  }

  /** Whether rows without a key are not cut because the query is not run. */
  def isForLater(conf: SQLConf): Boolean =
    !keyed && FoundOnce.running.isEmpty && sourcesOf(conf).nonEmpty

  /** What is read to find the cuts. */
  private[this] def sourcesOf(conf: SQLConf): Option[Sides[LogicalPlan]] =
    for {
      left <- ColumnLineage.of(join.left, attributes.left)
      right <- ColumnLineage.of(join.right, attributes.right)
      if ScaleGateConf.sampleRows(conf) > 0
    } yield Sides(left, right)

  /** Whether the rows at the beginning of both have a key that is. */
  private[this] def hasFrequentKey(
      session: SparkSession,
      sources: Sides[LogicalPlan],
      conf: SQLConf
  ): Boolean = {
    val keys = sources.map(source => (source, source.output.take(1)))
    InputSample.ofBoth(session, keys, ScaleGateConf.sampleRows(conf)).exists {
      _.toSeq.exists(side => side.counts.values.max > side.rows * share(session))
    }
  }

  private[this] def share(session: SparkSession): Double =
    1.0 / (2 * session.sparkContext.defaultParallelism)

  private[this] def cut(
      session: SparkSession,
      samples: Sides[Seq[SampledRow]],
      conf: SQLConf
  ): Option[TimeSlices] = {
    val all = samples.toSeq.flatten
    val rows = all.map(_.weight).sum
    val byKey = all.groupBy(keyOf).toVector.sortBy(_._1)
    val hot = byKey.filter { case (_, of) =>
      !keyed || of.map(_.weight).sum > rows * share(session)
    }
    val right = samples.right.groupBy(keyOf)
    val ids = new PartitionIds(conf.numShufflePartitions)
    var next = 0
    val found = hot.flatMap { case (key, of) =>
      val ofKey = of.map(_.weight).sum
      val wanted = EvenSample.parts(ofKey, math.ceil(conf.numShufflePartitions * ofKey / rows))
      cutsOf(of, right.getOrElse(key, Nil), wanted).map { cuts =>
        val cells = Array.fill(cuts.length + 1) {
          next += 1
          ids.next(next % conf.numShufflePartitions)
        }
        (HotKey(key, cells), cuts)
      }
    }
    Option.when(found.nonEmpty)(new TimeSlices(found.map(_._1), found.map(_._2)))
  }

  private[this] def keyOf(row: SampledRow): Long = if (keyed) row.keys.head else 0L

  /** For so many slices of a key's rows, or for as many as do not make too many copies. */
  private[this] def cutsOf(
      rows: Seq[SampledRow],
      right: Seq[SampledRow],
      wanted: Int
  ): Option[Array[Long]] = {
    val times = WeightedValues(rows)(_.keys.last)
    val rightRows = right.map(_.weight).sum
    def isFew(cuts: Array[Long]) = copiesOf(right, cuts) <= rightRows
    Iterator.iterate(wanted)(_ / 2).map(times.cuts).find(cuts => cuts.isEmpty || isFew(cuts))
      .filter(_.nonEmpty)
  }

  private[this] def copiesOf(right: Seq[SampledRow], cuts: Array[Long]): Double = {
    val slices =
      new TimeSlices(Vector(HotKey(0L, Array.tabulate(cuts.length + 1)(_.toLong))), Vector(cuts))
    right.map { row =>
      val time = row.keys.last
      row.weight * (copies.last(slices, 0, time) - copies.first(slices, 0, time))
    }.sum
  }
}

private object TimeSliceChoice {
  private val Slices = new FoundOnce[TimeSlices]("scalegate.slices")
}
