package io.scalegate.spark.join.stream.hotkeys

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.util.CollectionAccumulator

import io.scalegate.stream.Side

/** How one batch's rows are shared among partitions, and what they say of the keys. The driver makes it; tasks read it
  * and add to its accumulators.
  *
  * @param late
  *   rows whose event time is not above this are too late, in microseconds, and not copied
  */
final class SplitBatch(
    val number: Long,
    val hot: HotKeys,
    val partitions: Int,
    val late: Long,
    context: SparkContext
) {
  private[this] val leftCounts = context.collectionAccumulator[FrequentKeys]
  private[this] val rightCounts = context.collectionAccumulator[FrequentKeys]
  val reports: CollectionAccumulator[PartitionReport] =
    context.collectionAccumulator[PartitionReport]

  def counts(side: Side): CollectionAccumulator[FrequentKeys] =
    if (side eq Side.R) leftCounts else rightCounts

  def router(side: Side): KeyRouter = KeyRouter(hot, side, partitions)

  /** What the partitions said, if all did. */
  private[this] def complete: Option[Iterable[PartitionReport]] = {
    val all = reports.value.asScala
    if (all.map(_.partition).toSet.size == partitions) Some(all) else None
  }

  /** The greatest event times of the rows held after the batch, by sides; none if the batch was not run to its end. */
  def latest: Option[Side => Long] = complete.map { all => (side: Side) =>
    all.map(r => if (side eq Side.R) r.left else r.right).max
  }

  def addTo(calibration: KeyCalibration): Unit =
    calibration.add(
      leftCounts.value.asScala,
      rightCounts.value.asScala,
      complete.fold(0L)(_.groupBy(_.partition).values.map(_.head.comparisons).sum)
    )
}
