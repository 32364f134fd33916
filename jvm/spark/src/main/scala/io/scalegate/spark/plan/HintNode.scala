package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  ExpressionSet,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Filter,
  LogicalPlan,
  Project,
  Statistics,
  UnaryNode
}

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

object HintNode {

  /** Puts a hint on the relation of a query block, below what the block does with the relation's rows. Spark's check of
    * correlated subqueries knows no such node, and lets none stand above a reference to the outer query.
    *
    * @param block
    *   one without a join; one that is resolved already keeps its shape, for it may be cached
    */
  def onRelation(block: LogicalPlan)(hint: LogicalPlan => HintNode): LogicalPlan = block match {
    case _: Project | _: Filter | _: Aggregate if !block.resolved =>
      block.withNewChildren(Seq(onRelation(block.children.head)(hint)))
    case relation => hint(relation)
  }
}
