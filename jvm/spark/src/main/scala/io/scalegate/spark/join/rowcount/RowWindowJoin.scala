package io.scalegate.spark.join.rowcount

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.scalegate.spark.plan.{InTwoSteps, JoinNode}
import io.scalegate.spark.settings.{JoinOperator, NamedOperator}

/** The join over windows that count rows. A node of its own and no Join: a filter that moves below a
  * join leaves the join's rows as they are, but takes rows out of a window that counts them.
  *
  * @param condition
  *   what a pair within the window must satisfy
  * @param joinType
  *   one that [[Probing.from]] knows
  * @param operator
  *   that joins where all rows count
  */
final case class RowWindowJoin(
    left: LogicalPlan,
    right: LogicalPlan,
    window: RowWindowTerms,
    condition: Option[Expression],
    joinType: JoinType,
    operator: NamedOperator = NamedOperator(JoinOperator.ScaleJoin)
) extends JoinNode
    with InTwoSteps {

  /** All columns of both inputs, whatever is read of the result: rows of one time are in the order of their columns, so
    * that a column less would make other pairs.
    */
  override def references: AttributeSet = AttributeSet(left.output ++ right.output)

  override protected def over(l: LogicalPlan, r: LogicalPlan): RowWindowJoin =
    copy(left = l, right = r)
}
