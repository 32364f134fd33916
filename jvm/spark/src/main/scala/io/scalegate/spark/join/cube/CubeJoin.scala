package io.scalegate.spark.join.cube

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  Expression,
  ExpressionSet
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics}

import io.scalegate.matrix.cube.CubeLayout
import io.scalegate.spark.plan.{InTwoSteps, KeepsAliases, OwnNode}

/** The inner join of three inputs by one condition, as one operator.
  *
  * @param condition
  *   over the columns of all three
  * @param layout
  *   of the cube's workers; None where the planner may say
  */
final case class CubeJoin(
    first: LogicalPlan,
    second: LogicalPlan,
    third: LogicalPlan,
    condition: Expression,
    layout: Option[CubeLayout]
) extends InTwoSteps
    with KeepsAliases {
  override def children: Seq[LogicalPlan] = Seq(first, second, third)
  override def output: Seq[Attribute] = children.flatMap(_.output)
  override def references: AttributeSet = condition.references
  override def maxRows: Option[Long] =
    children.map(_.maxRows).reduce[Option[Long]] { (a, b) =>
      for (x <- a; y <- b; product <- OwnNode.times(Some(x), y)) yield product
    }
  override def maxRowsPerPartition: Option[Long] = maxRows
  override def stats: Statistics = Statistics(children.map(_.stats.sizeInBytes).product)
  override protected def uniqueBy: Set[ExpressionSet] = Set.empty
  override protected def holds: ExpressionSet = ExpressionSet()

  override protected def withNewChildrenInternal(changed: IndexedSeq[LogicalPlan]): CubeJoin =
    copy(first = changed(0), second = changed(1), third = changed(2))
}
