package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, TrueLiteral}
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BinaryExpression,
  Expression,
  Predicate
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** The hint `WINDOW_JOIN` on an input of a join yet to be made or resolved. */
final case class WindowJoinHint(child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan =
    copy(child = newChild)
}

/** The hint as a conjunct of the join's condition. It is true of every pair, so that a plan without the
  * package's strategy still gives the same rows; it refers to both inputs, so that no rule pushes it
  * below the join.
  */
final case class WindowJoinRequested(left: Expression, right: Expression)
    extends BinaryExpression
    with Predicate {
  override def nullable: Boolean = false
  override def prettyName: String = "window_join_requested"
  override def eval(input: InternalRow): Any = true

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    ExprCode(
      org.apache.spark.sql.catalyst.expressions.codegen.EmptyBlock,
      org.apache.spark.sql.catalyst.expressions.codegen.FalseLiteral,
      TrueLiteral
    )

  override protected def withNewChildrenInternal(l: Expression, r: Expression): Expression =
    copy(left = l, right = r)
}
