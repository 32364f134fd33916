package io.scalegate.spark.join.hint

import org.apache.spark.sql.catalyst.expressions.{OuterReference, SubExprUtils}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** What a join of a subquery takes from the outer query's row. Of its own joins Spark makes ones that join the rows of all
  * outer rows at once; of ours, which look at whole inputs, nobody can.
  */
object OuterColumn {

  /** A column of the outer query in the join's condition or below it. */
  def in(join: LogicalPlan): Option[String] = join.collectFirst(Function.unlift(
    (_: LogicalPlan).expressions.find(SubExprUtils.containsOuter)
  )).map(e => e.collectFirst { case OuterReference(column) => column.sql }.getOrElse(e.sql))
}
