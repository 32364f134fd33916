package io.scalegate.spark.join.hint

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  ExpressionSet,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics, UnaryNode}

import io.scalegate.spark.plan.OwnNode

/** The hint `WINDOW_JOIN` on an input of a join yet to be made or resolved. The node is in the plan from hint
  * resolution until [[MoveHintToCondition]] makes it a part of a join; where there is no join it plans as its child.
  */
final case class WindowJoinHint(child: LogicalPlan, options: HintOptions) extends UnaryNode
    with OwnNode {
  override def output: Seq[Attribute] = child.output
  override def maxRows: Option[Long] = child.maxRows
  override def maxRowsPerPartition: Option[Long] = child.maxRowsPerPartition
  override def stats: Statistics = child.stats
  override def references: AttributeSet = AttributeSet.empty
  override protected def uniqueBy: Set[ExpressionSet] = child.distinctKeys
  override protected def holds: ExpressionSet = child.constraints
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering
  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan =
    copy(child = newChild)
}
