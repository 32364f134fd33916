package io.scalegate.spark.rules

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  ExpressionSet,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Filter,
  LogicalPlan,
  Project,
  Statistics,
  UnaryNode
}
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage

import io.scalegate.spark.plan.OwnNode

/** Stands above an operator that runs in two steps: the first prepares rows for an exchange, by copying them to cells
  * or by adding them up in panes, and what the second makes of them is more rows, and others. Once the exchange has
  * run, adaptive execution puts a leaf in the operator's place, and that has the exchange's figures: so many rows, of
  * such a size. The operators above ask here instead, where the figures are those that the operator had.
  *
  * It is a node of the physical plan as well until that is executed: what adaptive execution replaces is all that a
  * node of the query was planned as.
  */
final case class TwoSteps(child: LogicalPlan) extends UnaryNode with OwnNode {
  override def output: Seq[Attribute] = child.output

  private[this] def operator: LogicalPlan = TwoSteps.unstaged(child)

  private[this] def hasRun: Boolean = child.exists(_.isInstanceOf[LogicalQueryStage])

  /** None is claimed while it runs: a figure that is too low costs rows, and one that is right saves little by then. */
  override def maxRows: Option[Long] = if (hasRun) None else operator.maxRows
  override def maxRowsPerPartition: Option[Long] =
    if (hasRun) None else operator.maxRowsPerPartition
  override def stats: Statistics = operator.stats
  override def references: AttributeSet = AttributeSet.empty
  override protected def uniqueBy: Set[ExpressionSet] = operator.distinctKeys
  override protected def holds: ExpressionSet = operator.constraints
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def withNewChildInternal(newChild: LogicalPlan): TwoSteps =
    copy(child = newChild)
}

object TwoSteps {

  /** The plan as it was before an exchange within its operator had run. */
  private def unstaged(plan: LogicalPlan): LogicalPlan = plan match {
    case stage: LogicalQueryStage if !stage.isDirectStage => stage.logicalPlan
    case _: Project | _: Filter => plan.mapChildren(unstaged)
    case operator => operator
  }
}
