package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Gives the optimizer the hidden joins back, but for those over windows of rows: it would move filters below them. The
  * rule runs when a batch's plan is normalized.
  */
object ShowStreamingJoins extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUpWithSubqueries {
    case c: CheckedStreamingJoin =>
      if (c.rowWindow.nonEmpty)
        StreamingWindowJoin(c.left, c.right, c.joinType, c.condition)
      else c.join
  }
}
