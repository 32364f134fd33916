package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  ExpressionSet,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics, UnaryNode}

/** A hint on a relation, which is in the plan from hint resolution until what it is about takes it. Its rows are the
  * relation's, and so is all that is said of them.
  */
trait HintNode extends UnaryNode with OwnNode {
  override def output: Seq[Attribute] = child.output
  override def maxRows: Option[Long] = child.maxRows
  override def maxRowsPerPartition: Option[Long] = child.maxRowsPerPartition
  override def stats: Statistics = child.stats
  override def references: AttributeSet = AttributeSet.empty
  override protected def uniqueBy: Set[ExpressionSet] = child.distinctKeys
  override protected def holds: ExpressionSet = child.constraints
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  protected def on(relation: LogicalPlan): HintNode

  final override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan =
    on(newChild)
}
