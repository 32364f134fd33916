package io.scalegate.spark.join.plan

import scala.reflect.ClassTag

import org.apache.spark.sql.catalyst.optimizer.{
  ComputeCurrentTime,
  ConstantFolding,
  ReplaceExpressions,
  RewriteWithExpression,
  SimplifyCasts
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A join with its condition in the form that the optimizer gives it, for rules that run before. */
object SimplifiedJoin {
  private[this] val rules = Seq(
    ReplaceExpressions,
    RewriteWithExpression,
    ComputeCurrentTime,
    SimplifyCasts,
    ConstantFolding
  )

  def apply[A <: LogicalPlan: ClassTag](join: A): A =
    rules.foldLeft[LogicalPlan](join)((plan, rule) => rule(plan))
      .collectFirst { case j: A => j }
      .getOrElse(join)
}
