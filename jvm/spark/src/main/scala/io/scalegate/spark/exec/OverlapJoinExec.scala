package io.scalegate.spark.exec

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.{
  ClusteredDistribution,
  Distribution,
  Partitioning
}
import org.apache.spark.sql.execution.SparkPlan

/** The join of two batch inputs with equal keys whose rows' intervals overlap. Both come clustered by the keys; a
  * task indexes its rows of the side that does not probe, which it must hold.
  *
  * @param leftAttributes
  *   what `by` relates: a bound on the keys, then the interval's start and end; `rightAttributes` likewise
  * @param residual
  *   evaluated on every candidate
  */
final case class OverlapJoinExec(
    probing: Probing,
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    leftAttributes: Seq[Expression],
    rightAttributes: Seq[Expression],
    by: IndexBy,
    residual: Option[Expression],
    description: String,
    left: SparkPlan,
    right: SparkPlan
) extends PartitionsJoinNode {
  override protected def counters: Seq[(String, String)] = Seq(
    "comparisons" -> "comparisons",
    "rowsKept" -> "rows kept in indexes"
  )

  override def requiredChildDistribution: Seq[Distribution] =
    ClusteredDistribution(leftKeys) :: ClusteredDistribution(rightKeys) :: Nil

  override def outputPartitioning: Partitioning = partitioningByKeys

  override protected def task: PartitionsJoinTask = new IndexTask(
    probing,
    new BoundedInput(leftAttributes, left.output),
    new BoundedInput(rightAttributes, right.output),
    by,
    residual,
    unheld = None
  )

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}
