package io.scalegate.spark.join.operator

import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.plans.physical.{
  AllTuples,
  ClusteredDistribution,
  Distribution,
  Partitioning,
  SinglePartition
}
import org.apache.spark.sql.execution.SparkPlan

import io.scalegate.spark.exchange.ExchangeReader
import io.scalegate.spark.join.{IndexTerms, JoinKeys, Probing}
import io.scalegate.spark.settings.NamedOperator
import io.scalegate.stream.TimeWindow

/** The join within a window of time by an operator that a hint names. Both inputs come in the order of their times: in
  * one task, or by their equality keys. In each task the operator's own threads join what the task's thread delivers.
  *
  * A row whose time, key or banded attribute is NULL matches nothing.
  *
  * @param operator
  *   with the threads of each task
  * @param keys
  *   that bring rows together; none where all meet in one task
  * @param terms
  *   of the banded attributes, the keys among them
  */
final case class OperatorJoinExec(
    probing: Probing,
    operator: NamedOperator,
    keys: JoinKeys,
    window: OperatorWindow,
    terms: IndexTerms,
    description: String,
    left: SparkPlan,
    right: SparkPlan
) extends PartitionsOperatorNode
    with ExchangeReader {
  private[this] def isKeyed = keys.left.nonEmpty

  override def requiredChildDistribution: Seq[Distribution] =
    if (isKeyed) Seq(ClusteredDistribution(keys.left), ClusteredDistribution(keys.right))
    else AllTuples :: AllTuples :: Nil

  override def requiredChildOrdering: Seq[Seq[SortOrder]] = orderBy(window.times.map(Seq(_)))

  override def outputPartitioning: Partitioning =
    if (isKeyed) probing.partitioning(left.outputPartitioning, right.outputPartitioning)
    else SinglePartition

  override protected def task: OperatorTask = new OperatorTask(
    terms.inTask(probing, columns),
    window.times,
    TimeWindow(window.lower, window.upper),
    operator
  )

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}
