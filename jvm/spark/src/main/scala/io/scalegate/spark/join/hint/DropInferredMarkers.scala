package io.scalegate.spark.join.hint

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

/** Replaces the hint's marker in filters by TRUE. The marker belongs to joins; Spark infers filters with copies of it.
  * An optimizer rule.
  */
object DropInferredMarkers extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformWithSubqueries {
    case f: Filter => f.transformExpressions { case _: WindowJoinRequested =>
        Literal.TrueLiteral
      }
  }
}
