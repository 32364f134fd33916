package io.scalegate.spark.exec

import org.apache.spark.sql.catalyst.expressions.{Ascending, Expression, RowOrdering, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{
  AllTuples,
  Distribution,
  Partitioning,
  SinglePartition
}
import org.apache.spark.sql.execution.SparkPlan

import io.scalegate.join.Band

/** The join over windows that count rows: the later row of a pair meets the last `rows` rows of the
  * other side. That is a statement about the whole of both inputs in one order, so they meet in one task,
  * where ScaleJoin shares the comparisons among threads.
  *
  * The order is that of the times; a left row comes before a right row of the same time, and rows of one
  * side and one time are in the order of their columns. A row whose time is NULL is in no window, and matches
  * nothing; one whose banded attributes are NULL takes its place in the window and matches nothing.
  *
  * @param leftBounded
  *   the time, then the banded attributes
  * @param bands
  *   `rightBounded(i + 1) − leftBounded(i + 1)` lies in the i-th band
  */
final case class RowWindowJoinExec(
    probing: Probing,
    rows: Long,
    leftBounded: Seq[Expression],
    rightBounded: Seq[Expression],
    bands: Seq[Band],
    residual: Option[Expression],
    threads: Int,
    description: String,
    left: SparkPlan,
    right: SparkPlan
) extends PartitionsJoinNode {
  override protected def counters: Seq[(String, String)] = Seq(
    "comparisons" -> "comparisons",
    "busiest" -> "comparisons of the busiest thread",
    "leastBusy" -> "comparisons of the least busy thread",
    "rowsKept" -> "rows kept in windows",
    "peakWindow" -> "peak window rows, sum over threads"
  )

  override def requiredChildDistribution: Seq[Distribution] = AllTuples :: AllTuples :: Nil

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(leftBounded.head +: left.output, rightBounded.head +: right.output).map(
      _.filter(e => RowOrdering.isOrderable(e.dataType)).map(SortOrder(_, Ascending))
    )

  override def outputPartitioning: Partitioning = SinglePartition

  override protected def task: PartitionsJoinTask = new RowWindowTask(
    probing,
    rows,
    new BoundedInput(leftBounded, left.output),
    new BoundedInput(rightBounded, right.output),
    bands.toIndexedSeq,
    residual,
    threads
  )

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}
