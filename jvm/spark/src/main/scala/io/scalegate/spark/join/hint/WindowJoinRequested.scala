package io.scalegate.spark.join.hint

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, TrueLiteral}
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression, Predicate}

/** The hint as a conjunct of the join's condition. It is true of every pair, so that a plan without the
  * package's strategy still gives the same rows; it refers to both inputs, so that no rule pushes it
  * below the join. The copies that Spark infers for one input, where an equality makes the two
  * attributes one, [[DropInferredMarkers]] takes away.
  *
  * @param isWindowed
  *   whether the condition, as it was written, compares the two sides beyond equality keys
  */
final case class WindowJoinRequested(
    left: Expression,
    right: Expression,
    options: HintOptions = HintOptions(),
    isWindowed: Boolean = false
) extends BinaryExpression
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

  /** A constant in the place of a column would leave nothing that ties the hint to that input, and with it to the join:
    * the column is kept.
    */
  override protected def withNewChildrenInternal(l: Expression, r: Expression): Expression =
    copy(
      left = if (l.references.isEmpty) left else l,
      right = if (r.references.isEmpty) right else r
    )
}
