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
import org.apache.spark.sql.scalegate.ConnectPlans

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

  /** Whether a hint is one on a DataFrame, and so about what the frame goes into; in SQL it is about its query block. What
    * a frame is made of is analyzed by then, or, in Spark Connect, has the number that the client knows it by.
    */
  def isOnFrame(child: LogicalPlan): Boolean =
    child.analyzed || ConnectPlans.isOfFrame(child)

  /** Puts a hint on the relation of a frame or a query block, below what is done with the relation's rows. Spark's check
    * of correlated subqueries knows no such node, and lets none stand above a reference to the outer query.
    *
    * @param rows
    *   what is analyzed keeps its shape, for it may be cached
    */
  def onRelation(rows: LogicalPlan)(hint: LogicalPlan => HintNode): LogicalPlan = rows match {
    case _: Project | _: Filter | _: Aggregate if !rows.analyzed =>
      rows.withNewChildren(Seq(onRelation(rows.children.head)(hint)))
    case relation => hint(relation)
  }
}
