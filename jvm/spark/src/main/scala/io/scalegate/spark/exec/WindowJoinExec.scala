package io.scalegate.spark.exec

import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{
  ClusteredDistribution,
  Distribution,
  Partitioning,
  PartitioningCollection,
  UnknownPartitioning
}
import org.apache.spark.sql.execution.SparkPlan

import io.scalegate.join.Band
import io.scalegate.stream.Side

/** The join of two batch inputs whose condition bounds at least one difference between them. Both
  * inputs come clustered by the keys, and sorted by the keys and the first bounded attribute; so the memory
  * that a task needs is one window of one key, and what does not fit before it is spilled by Spark's sort.
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
  * @param cells
  *   whether the keys are cells that [[SliceExec]] made, which the output does not have
  */
final case class WindowJoinExec(
    probing: Probing,
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    leftBounded: Seq[Expression],
    rightBounded: Seq[Expression],
    bands: Seq[Band],
    residual: Option[Expression],
    cells: Boolean,
    output: Seq[Attribute],
    description: String,
    left: SparkPlan,
    right: SparkPlan
) extends PartitionsJoinNode {
  override protected def counters: Seq[(String, String)] = Seq(
    "comparisons" -> "comparisons",
    "rowsKept" -> "rows kept in windows",
    "peakWindow" -> "peak window rows, sum over tasks"
  )

  override def requiredChildDistribution: Seq[Distribution] =
    ClusteredDistribution(leftKeys) :: ClusteredDistribution(rightKeys) :: Nil

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(leftKeys :+ leftBounded.head, rightKeys :+ rightBounded.head).map(
      _.map(SortOrder(_, Ascending))
    )

  override def outputPartitioning: Partitioning =
    if (cells) UnknownPartitioning(left.outputPartitioning.numPartitions)
    else if (probing.isInner)
      PartitioningCollection(Seq(left.outputPartitioning, right.outputPartitioning))
    else if (probing.side eq Side.R) left.outputPartitioning
    else right.outputPartitioning

  /** Rows come as their probe rows do. */
  override def outputOrdering: Seq[SortOrder] =
    if (cells) Nil else requiredChildOrdering(if (probing.side eq Side.R) 0 else 1)

  override protected def task: PartitionsJoinTask = new SweepTask(
    probing,
    new SideInput(leftKeys, leftBounded, left.output),
    new SideInput(rightKeys, rightBounded, right.output),
    bands.toIndexedSeq,
    residual
  )

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}
