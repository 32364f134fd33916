package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Where rules may put an [[IntervalAggregate]]: everywhere but within a correlated subquery, of which the optimizer makes
  * a join by moving its outer columns up, through nodes that it knows.
  */
private[aggregate] object OutsideCorrelated {
  def transform(
      plan: LogicalPlan
  )(rule: PartialFunction[LogicalPlan, LogicalPlan]): LogicalPlan =
    plan.transformUp { case node =>
      val withSubqueries = node.transformExpressions {
        case s: SubqueryExpression if !s.isCorrelated =>
          s.withNewPlan(transform(s.plan)(rule))
      }
      rule.applyOrElse(withSubqueries, identity[LogicalPlan])
    }
}
