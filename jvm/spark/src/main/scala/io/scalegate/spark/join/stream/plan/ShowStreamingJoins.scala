package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.expressions.AttributeSet
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
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
      else c.join.copy(right = decisive(c))
  }

  /** Of a semi or an anti join's right side the columns that the condition reads: Spark moves such a join below the
    * left side's projections, where a column that nobody reads may be one of the left side, too.
    */
  private[this] def decisive(join: CheckedStreamingJoin): LogicalPlan = join.joinType match {
    case LeftSemi | LeftAnti =>
      val read = AttributeSet.fromAttributeSets(join.condition.map(_.references))
      Project(join.right.output.filter(read.contains), join.right)
    case _ => join.right
  }
}
