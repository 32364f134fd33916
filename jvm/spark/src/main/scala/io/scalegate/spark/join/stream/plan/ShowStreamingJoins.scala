package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.expressions.AttributeSet
import org.apache.spark.sql.catalyst.plans.logical.{
  HintInfo,
  Join,
  JoinHint,
  LogicalPlan,
  NO_BROADCAST_HASH,
  Project
}
import org.apache.spark.sql.catalyst.plans.{LeftAnti, LeftSemi}
import org.apache.spark.sql.catalyst.rules.Rule

/** Gives the optimizer the hidden joins back, but for those over windows of rows: it would move filters below them. The
  * rule runs when a batch's plan is normalized.
  */
object ShowStreamingJoins extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUpWithSubqueries {
    case c: CheckedStreamingJoin =>
      if (c.rowWindow.nonEmpty)
        StreamingWindowJoin(c.left, c.right, c.joinType, c.condition)
      else
        c.joinType match {
          case LeftSemi | LeftAnti => settled(c.join)
          case _ => c.join
        }
  }

  /** A semi or an anti join that Spark moves in every batch or in none. Spark moves such a join below the left side's
    * projections, where a column of the right side that nobody reads may be one of the left side, too: the right side has
    * the columns that the condition reads. And it moves it below the left side's aggregate where the right side is small
    * enough to be broadcast, as a stream without rows is: the two would change places in a batch, and read each other's
    * state. The right side is not to be broadcast.
    */
  private[this] def settled(join: Join): Join = {
    val read = AttributeSet.fromAttributeSets(join.condition.map(_.references))
    join.copy(
      right = Project(join.right.output.filter(read.contains), join.right),
      hint = JoinHint(None, Some(HintInfo(Some(NO_BROADCAST_HASH))))
    )
  }
}
