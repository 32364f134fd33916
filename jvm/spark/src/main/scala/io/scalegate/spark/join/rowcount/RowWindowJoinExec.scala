package io.scalegate.spark.join.rowcount

import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.plans.physical.{
  AllTuples,
  Distribution,
  Partitioning,
  SinglePartition
}
import org.apache.spark.sql.execution.SparkPlan

import io.scalegate.spark.join.{IndexTerms, PartitionsJoinTask, Probing}

/** The join over windows that count rows: the later row of a pair meets the last rows of the
  * other side. That is a statement about the whole of both inputs in one order, so they meet in one task,
  * where ScaleJoin shares the comparisons among threads.
  *
  * The order is that of the times; a left row comes before a right row of the same time, and rows of one
  * side and one time are in the order of their columns. A row whose time is NULL is in no window, and matches
  * nothing; one whose banded attributes are NULL is counted in the window and matches nothing.
  *
  * @param window
  *   on so many threads
  * @param terms
  *   of the banded attributes
  */
final case class RowWindowJoinExec(
    probing: Probing,
    window: RowWindowTerms,
    terms: IndexTerms,
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

  override def requiredChildOrdering: Seq[Seq[SortOrder]] = orderBy(window)

  override def outputPartitioning: Partitioning = SinglePartition

  override protected def task: PartitionsJoinTask =
    new RowWindowTask(
      terms.inTask(probing, columns),
      window.times,
      window.rows,
      window.threads.get
    )

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}
