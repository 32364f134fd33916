package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.logical.{Join, JoinHint, LogicalPlan}

import io.scalegate.spark.join.plan.SimplifiedJoin
import io.scalegate.spark.join.rowcount.WithinRows
import io.scalegate.spark.plan.{JoinNode, StatefulNode}

/** A join of two streams while Spark checks a query that is about to start: Spark refuses types of joins and spellings
  * of bounds that this package runs. [[ShowStreamingJoins]] makes it a Join again before the optimizer runs.
  */
final case class CheckedStreamingJoin(
    left: LogicalPlan,
    right: LogicalPlan,
    joinType: JoinType,
    condition: Option[Expression],
    hint: JoinHint
) extends JoinNode
    with StatefulNode {
  override def nodeName: String = "join of two streams"

  def join: Join = Join(left, right, joinType, condition, hint)

  def rowWindow: Option[WithinRows] = WithinRows.find(condition)

  /** Whether its rows are held for intervals whose ends are columns. */
  private[plan] def isOfIntervals: Boolean = rowWindow.isEmpty && nearest.isEmpty &&
    StreamingJoins.candidate(SimplifiedJoin(join)).exists(_.intervals.nonEmpty)

  /** What is asked of it, if it is an as-of join. */
  private[plan] def nearest: Option[StreamingNearest] = StreamingNearest.unapply(join)

  override protected def over(l: LogicalPlan, r: LogicalPlan): CheckedStreamingJoin =
    copy(left = l, right = r)
}
