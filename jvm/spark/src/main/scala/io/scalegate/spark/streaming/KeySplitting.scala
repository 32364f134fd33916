package io.scalegate.spark.streaming

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.util.CollectionAccumulator

import io.scalegate.spark.exec.PartitionIds
import io.scalegate.stream.Side

/** What a partition holds after a batch, and what the batch took.
  *
  * @param left
  *   the greatest event time of a row of the left side, as `right` is that of the right one
  */
final case class PartitionReport(partition: Int, left: Long, right: Long, comparisons: Long)

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
  private[this] val leftCounts = context.collectionAccumulator[KeyCounts]
  private[this] val rightCounts = context.collectionAccumulator[KeyCounts]
  val reports: CollectionAccumulator[PartitionReport] =
    context.collectionAccumulator[PartitionReport]

  def counts(side: Side): CollectionAccumulator[KeyCounts] =
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

/** Where the nodes of one plan find how its rows are shared: the join, which is executed first, says it. Driver only. */
final class KeySplitting extends Serializable {
  @transient private[this] var batch: SplitBatch = _

  def begin(of: SplitBatch): Unit = batch = of

  def current: SplitBatch = {
    require(batch != null, "the input of a join is executed before the join")
    batch
  }
}

/** Which partitions a row goes to, by the hash of its key.
  *
  * @param isSingle
  *   whether a row of a hot key goes to one of its cells, and not to all
  */
final private[spark] class KeyRouter private (
    keys: Array[Int],
    val isSingle: Boolean,
    cells: Array[Array[Long]],
    ids: Array[Long]
) extends Serializable {

  /** Of a hot key its number, of another one a negative number. */
  def find(key: Int): Int =
    if (keys.length == 0) -1 else java.util.Arrays.binarySearch(keys, key)

  /** The cell of a row that goes to its key's home. */
  def home(key: Int): Long = ids(Math.floorMod(key, ids.length))

  /** The cells that a row of this hot key may go to, the home first. */
  def cellsOf(number: Int): Array[Long] = cells(number)
}

private[spark] object KeyRouter {
  def apply(hot: HotKeys, side: Side, partitions: Int): KeyRouter = {
    val namer = new PartitionIds(partitions)
    val ids = Array.tabulate(partitions)(namer.next)
    val isSingle = hot.single.contains(side)
    val sorted = hot.keys.toArray.sortBy(_._1)
    val cells = sorted.map { case (key, replicas) =>
      val takers = replicas.filter(_.phase == Replica.Serving || !isSingle)
      (Math.floorMod(key, partitions) +: takers.map(_.partition)).map(ids(_)).toArray
    }
    new KeyRouter(sorted.map(_._1), isSingle, cells, ids)
  }
}
