package io.scalegate.spark.join.python

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.logical.{Join, JoinHint, LogicalPlan}

import io.scalegate.spark.join.rowcount.WithinRows
import io.scalegate.spark.plan.JoinNode

/** A join whose condition calls functions in Python on columns of both inputs, from the moment a plan is normalized until
  * [[SplitPythonJoin]] makes several operators of it. A node of its own and no Join: Spark refuses such a condition of
  * any join but an inner one.
  *
  * @param condition
  *   all of it, with what says how it is to be run
  * @param hint
  *   Spark's own hints, which the join of the candidates gets
  */
final case class PythonJoin(
    left: LogicalPlan,
    right: LogicalPlan,
    joinType: JoinType,
    condition: Option[Expression],
    hint: JoinHint
) extends JoinNode {
  def join: Join = Join(left, right, joinType, condition, hint)

  def isOfRows: Boolean = WithinRows.find(condition).nonEmpty

  /** All columns of both inputs where a window counts rows, which are in the order of their columns. */
  override def references: AttributeSet =
    if (isOfRows) AttributeSet(left.output ++ right.output) else super.references

  override protected def over(l: LogicalPlan, r: LogicalPlan): PythonJoin =
    copy(left = l, right = r)
}
