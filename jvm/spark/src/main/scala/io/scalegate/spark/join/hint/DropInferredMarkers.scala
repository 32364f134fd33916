package io.scalegate.spark.join.hint

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

/** The marker belongs to joins; elsewhere it is the constant that it evaluates to. */
object DropInferredMarkers extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformWithSubqueries {
    case f: Filter => f.transformExpressions { case _: WindowJoinRequested =>
        Literal.TrueLiteral
      }
  }
}
