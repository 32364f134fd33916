package io.scalegate.spark.join.plan

import org.apache.spark.sql.catalyst.optimizer.{
  ComputeCurrentTime,
  ConstantFolding,
  ReplaceExpressions,
  RewriteWithExpression,
  SimplifyCasts
}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}

/** The join with its condition in the form that the optimizer gives it, for rules that run before. */
object SimplifiedJoin {
  def apply(join: Join): Join =
    Seq(
      ReplaceExpressions,
      RewriteWithExpression,
      ComputeCurrentTime,
      SimplifyCasts,
      ConstantFolding
    )
      .foldLeft[LogicalPlan](join)((plan, rule) => rule(plan))
      .collectFirst { case j: Join => j }
      .getOrElse(join)
}
