package io.scalegate.spark.exec

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.{
  ClusteredDistribution,
  Distribution,
  Partitioning,
  UnknownPartitioning,
  UnspecifiedDistribution
}
import org.apache.spark.sql.execution.SparkPlan

/** The join of two batch inputs where no window can be swept: their bounds are columns, or there are none. Both come
  * clustered by the keys. A task indexes its rows of the side that does not probe; where its memory is too small for them they are
  * spilled, and all are read once for each block of the other's rows, in two passes by a full join.
  *
  * @param leftKeys
  *   equal in every result row, as are `rightKeys`: the equi keys, or the cell of a matrix
  * @param cells
  *   of the matrix, each a partition, if the keys are cells
  * @param leftAttributes
  *   what `by` relates, a bound on the keys first; `rightAttributes` likewise
  * @param residual
  *   what `by` leaves of the condition, evaluated on every candidate
  * @param condition
  *   all of it, with the equality of the keys
  * @param isCut
  *   whether the inputs' partitions are parts of those by the keys
  */
final case class IndexJoinExec(
    probing: Probing,
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    cells: Option[Int],
    leftAttributes: Seq[Expression],
    rightAttributes: Seq[Expression],
    by: IndexBy,
    residual: Option[Expression],
    condition: Expression,
    description: String,
    left: SparkPlan,
    right: SparkPlan,
    isCut: Boolean = false
) extends SkewAwareJoinNode {
  override protected def counters: Seq[(String, String)] = Seq(
    "comparisons" -> "comparisons",
    "rowsKept" -> "rows kept in indexes",
    "peakWindow" -> "peak index rows, sum over tasks",
    "spilledTasks" -> "tasks that read their rows again for want of memory"
  )

  override def requiredChildDistribution: Seq[Distribution] =
    if (isCut) Seq(UnspecifiedDistribution, UnspecifiedDistribution)
    else Seq(leftKeys, rightKeys).map(ClusteredDistribution(_, requiredNumPartitions = cells))

  override def mayBeCut: Boolean = cells.isEmpty && !isCut

  override def inParts(l: SparkPlan, r: SparkPlan): SkewAwareJoinNode =
    copy(left = l, right = r, isCut = true)

  override def outputPartitioning: Partitioning =
    if (cells.isEmpty && !isCut) partitioningByKeys
    else UnknownPartitioning(left.outputPartitioning.numPartitions)

  override protected def task: PartitionsJoinTask = {
    val l = new BoundedInput(leftAttributes, left.output)
    val r = new BoundedInput(rightAttributes, right.output)
    def inBlocks(as: Probing) = new BlockLoopTask(as, l, r, condition)
    new IndexTask(
      probing,
      l,
      r,
      by,
      residual,
      if (probing.unfound) new TwoPassTask(inBlocks, left.output, right.output)
      else inBlocks(probing)
    )
  }

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}
