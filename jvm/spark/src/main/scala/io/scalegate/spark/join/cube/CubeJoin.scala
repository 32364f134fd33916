package io.scalegate.spark.join.cube

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  Expression,
  ExpressionSet
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics}
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.matrix.cube.CubeLayout
import io.scalegate.spark.plan.{InTwoSteps, KeepsAliases, OwnNode, StatefulNode}
import io.scalegate.spark.settings.{Cores, ScaleGateConf}

/** The inner join of three batches, or of three streams, by one condition, as one operator.
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
    with KeepsAliases
    with StatefulNode {
  override def children: Seq[LogicalPlan] = Seq(first, second, third)
  override def output: Seq[Attribute] = children.flatMap(_.output)

  /** The cube's, as it is planned. */
  private[join] def workers: CubeLayout = layout.getOrElse(
    CubeLayout(ScaleGateConf.cellThreads(SQLConf.get, Cores.ofOneTask), 1, 1)
  )

  override def references: AttributeSet = condition.references

  /** A batch of a stream is joined with rows of earlier ones, too. */
  override def maxRows: Option[Long] =
    if (isStreaming) None
    else children.map(_.maxRows).reduce[Option[Long]] { (a, b) =>
      for (x <- a; y <- b; product <- OwnNode.times(Some(x), y)) yield product
    }
  override def maxRowsPerPartition: Option[Long] = maxRows
  override def stats: Statistics = Statistics(children.map(_.stats.sizeInBytes).product)
  override protected def uniqueBy: Set[ExpressionSet] = Set.empty
  override protected def holds: ExpressionSet = ExpressionSet()

  override protected def withNewChildrenInternal(changed: IndexedSeq[LogicalPlan]): CubeJoin =
    copy(first = changed(0), second = changed(1), third = changed(2))
}
