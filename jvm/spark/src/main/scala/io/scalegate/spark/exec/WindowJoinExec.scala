package io.scalegate.spark.exec

import org.apache.spark.sql.catalyst.expressions.{And, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{
  ClusteredDistribution,
  Distribution,
  Partitioning,
  UnknownPartitioning,
  UnspecifiedDistribution
}
import org.apache.spark.sql.execution.SparkPlan

import io.scalegate.join.Band
import io.scalegate.stream.Side

/** The join of two batch inputs whose condition bounds at least one difference between them. Both
  * inputs come clustered by the keys. A task either sweeps a window over both, which come sorted by the keys
  * and the first bounded attribute: then the memory that it needs is one window of one key; a window that does not
  * fit is kept on disk, as what comes before it is spilled by Spark's sort. Or it indexes the side that does not probe, whose
  * rows it must hold, and nothing has to be sorted; a task that cannot hold them sorts both sides itself, and
  * sweeps, in two passes where rows of both sides are given that match nothing.
  *
  * @param probing
  *   what is given for each row of which side
  * @param leftKeys
  *   equal in every result row, as are `rightKeys`: the equi keys, or the cell of a keyless join
  * @param leftBounded
  *   the attributes that are bounded, the one that the window slides along first
  * @param bands
  *   `rightBounded(i) − leftBounded(i)` lies in the i-th band
  * @param residual
  *   what is left of the condition, evaluated on every candidate
  * @param indexed
  *   the band of the keys as a bound, if an index is probed; if not, a window is swept
  * @param keyBounds
  *   what that band lies on, the left side's and the right one's
  * @param sameKeys
  *   what that band leaves open
  * @param partitions
  *   that the inputs come in, if it is not for Spark to say how many
  * @param cells
  *   whether the keys are cells that [[SliceExec]] made, which mean nothing to other operators
  * @param isCut
  *   whether the inputs' partitions are parts of those by the keys
  */
final case class WindowJoinExec(
    probing: Probing,
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    leftBounded: Seq[Expression],
    rightBounded: Seq[Expression],
    bands: Seq[Band],
    residual: Option[Expression],
    indexed: Option[Band],
    keyBounds: Seq[Expression],
    sameKeys: Option[Expression],
    cells: Boolean,
    partitions: Option[Int],
    description: String,
    left: SparkPlan,
    right: SparkPlan,
    isCut: Boolean = false
) extends SkewAwareJoinNode {
  override protected def counters: Seq[(String, String)] = Seq(
    "comparisons" -> "comparisons",
    "rowsKept" -> "rows kept in windows",
    "peakWindow" -> "peak window rows, sum over tasks",
    "sortedTasks" -> "tasks that sorted for want of memory",
    "spilledKeys" -> "keys whose window was kept on disk for want of memory"
  )

  override def requiredChildDistribution: Seq[Distribution] =
    if (isCut) Seq(UnspecifiedDistribution, UnspecifiedDistribution)
    else
      Seq(leftKeys, rightKeys).map(ClusteredDistribution(_, requiredNumPartitions = partitions))

  override def mayBeCut: Boolean = partitions.isEmpty && !isCut

  override def inParts(l: SparkPlan, r: SparkPlan): SkewAwareJoinNode =
    copy(left = l, right = r, isCut = true)

  private[this] def sides: Seq[SideInput] = Seq(
    new SideInput(leftKeys, leftBounded, left.output),
    new SideInput(rightKeys, rightBounded, right.output)
  )

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    sides.map(side => if (indexed.isEmpty) side.order else Nil)

  override def outputPartitioning: Partitioning =
    if (cells || isCut) UnknownPartitioning(left.outputPartitioning.numPartitions)
    else partitioningByKeys

  /** Rows come in the order of their probe rows' keys. Within a key they do where the window fits; a task that is to index
    * may have to sort.
    */
  override def outputOrdering: Seq[SortOrder] =
    if (cells || indexed.nonEmpty) Nil
    else requiredChildOrdering(if (probing.side eq Side.R) 0 else 1).take(leftKeys.length)

  override protected def task: PartitionsJoinTask = {
    val sweep = sweeping(probing)
    indexed.fold[PartitionsJoinTask](sweep) { band =>
      new IndexTask(
        probing,
        new BoundedInput(keyBounds.head +: leftBounded, left.output),
        new BoundedInput(keyBounds.last +: rightBounded, right.output),
        IndexBy.Bands(band +: bands.toIndexedSeq),
        (sameKeys ++ residual).reduceOption(And.apply),
        if (probing.unfound) inTwoPasses else sweep.ofUnsorted
      )
    }
  }

  private[this] def sweeping(as: Probing): SweepTask =
    new SweepTask(as, sides(0), sides(1), bands.toIndexedSeq, residual)

  private[this] def inTwoPasses: PartitionsJoinTask =
    new TwoPassTask(sweeping(_).ofUnsorted, left.output, right.output)

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}
