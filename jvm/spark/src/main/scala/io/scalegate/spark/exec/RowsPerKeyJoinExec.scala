package io.scalegate.spark.exec

import org.apache.spark.sql.catalyst.expressions.{Ascending, Expression, RowOrdering, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{
  ClusteredDistribution,
  Distribution,
  Partitioning
}
import org.apache.spark.sql.execution.SparkPlan

import io.scalegate.join.Band

/** The join over windows that count the rows of each key: the later row of a pair meets the last `rows` rows of the other
  * side that have its keys. Both inputs come clustered by the keys and sorted by keys, time and columns, so a task reads
  * each key's rows once, in their order, and holds the last rows of one key.
  *
  * The order is that of [[RowWindowJoinExec]]. A row whose key or time is NULL is in no window, and matches nothing; one
  * whose banded attributes are NULL takes its place in the window and matches nothing.
  *
  * @param leftKeys
  *   equal in every pair, as are `rightKeys`, in a form that is the same for equal numbers
  * @param leftBounded
  *   the time, then the banded attributes
  * @param bands
  *   `rightBounded(i + 1) − leftBounded(i + 1)` lies in the i-th band
  */
final case class RowsPerKeyJoinExec(
    probing: Probing,
    rows: Long,
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    leftBounded: Seq[Expression],
    rightBounded: Seq[Expression],
    bands: Seq[Band],
    residual: Option[Expression],
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
    Seq(leftKeys, rightKeys).map(ClusteredDistribution(_))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(
      (leftKeys :+ leftBounded.head) ++ left.output,
      (rightKeys :+ rightBounded.head) ++ right.output
    )
      .map(_.filter(e => RowOrdering.isOrderable(e.dataType)).map(SortOrder(_, Ascending)))

  override def outputPartitioning: Partitioning = partitioningByKeys

  override protected def task: PartitionsJoinTask = new RowsPerKeyTask(
    probing,
    rows,
    new KeyedInput(leftKeys, new BoundedInput(leftBounded, left.output)),
    new KeyedInput(rightKeys, new BoundedInput(rightBounded, right.output)),
    bands.toIndexedSeq,
    residual
  )

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}
