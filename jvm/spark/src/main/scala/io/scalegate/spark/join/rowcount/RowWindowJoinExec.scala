package io.scalegate.spark.join.rowcount

import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.plans.physical.{
  AllTuples,
  Distribution,
  Partitioning,
  SinglePartition
}
import org.apache.spark.sql.execution.SparkPlan

import io.scalegate.spark.exchange.ExchangeReader
import io.scalegate.spark.join.operator.{OperatorTask, PartitionsOperatorNode}
import io.scalegate.spark.join.{IndexTerms, Probing}
import io.scalegate.spark.settings.NamedOperator
import io.scalegate.stream.CountWindow

/** The join over windows that count rows: the later row of a pair meets the last rows of the
  * other side. That is a statement about the whole of both inputs in one order, so they meet in one task,
  * where ScaleJoin, or the operator that a hint names, shares the comparisons among threads.
  *
  * The order is that of the times; a left row comes before a right row of the same time, and rows of one
  * side and one time are in the order of their columns. A row whose time is NULL is in no window, and matches
  * nothing; one whose banded attributes are NULL is counted in the window and matches nothing.
  *
  * @param operator
  *   with its threads
  * @param terms
  *   of the banded attributes
  */
final case class RowWindowJoinExec(
    probing: Probing,
    operator: NamedOperator,
    window: RowWindowTerms,
    terms: IndexTerms,
    description: String,
    left: SparkPlan,
    right: SparkPlan
) extends PartitionsOperatorNode
    with ExchangeReader {
  override def requiredChildDistribution: Seq[Distribution] = AllTuples :: AllTuples :: Nil

  override def requiredChildOrdering: Seq[Seq[SortOrder]] = orderBy(window.order(columns))

  override def outputPartitioning: Partitioning = SinglePartition

  override protected def task: OperatorTask =
    new OperatorTask(
      terms.inTask(probing, columns),
      window.times,
      CountWindow(window.rows.left, window.rows.right),
      operator
    )

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}
