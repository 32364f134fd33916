package io.scalegate.spark.join.rowcount

import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.plans.physical.{
  ClusteredDistribution,
  Distribution,
  Partitioning
}
import org.apache.spark.sql.execution.SparkPlan

import io.scalegate.spark.exchange.ExchangeReader
import io.scalegate.spark.join.operator.PartitionsJoinNode
import io.scalegate.spark.join.{IndexTerms, PartitionsJoinTask, Probing}

/** The join over windows that count the rows of each key: the later row of a pair meets the last rows of the other side
  * that have its keys. Both inputs come clustered by the keys and sorted by keys, time and columns, so a task reads
  * each key's rows once, in their order, and holds the last rows of one key.
  *
  * The order is that of [[RowWindowJoinExec]]. A row whose key or time is NULL is in no window, and matches nothing;
  * one whose banded attributes are NULL is counted in the window and matches nothing.
  *
  * @param window
  *   whose keys are in a form that is the same for equal numbers
  * @param terms
  *   of the banded attributes
  */
final case class RowsPerKeyJoinExec(
    probing: Probing,
    window: RowWindowTerms,
    terms: IndexTerms,
    description: String,
    left: SparkPlan,
    right: SparkPlan
) extends PartitionsJoinNode
    with ExchangeReader {
  override protected def counters: Seq[(String, String)] = Seq(
    "comparisons" -> "comparisons",
    "rowsKept" -> "rows kept in windows",
    "peakWindow" -> "peak window rows, sum over tasks"
  )

  override def requiredChildDistribution: Seq[Distribution] =
    window.keys.map(ClusteredDistribution(_)).toSeq

  override def requiredChildOrdering: Seq[Seq[SortOrder]] = orderBy(window.order(columns))

  override def outputPartitioning: Partitioning =
    probing.partitioning(left.outputPartitioning, right.outputPartitioning)

  override protected def task: PartitionsJoinTask =
    new RowsPerKeyTask(terms.inTask(probing, columns), window.times, window.keys, window.rows)

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}
