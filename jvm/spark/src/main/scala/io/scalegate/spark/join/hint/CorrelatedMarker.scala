package io.scalegate.spark.join.hint

import org.apache.spark.sql.catalyst.expressions.{Expression, OuterReference}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A join of a subquery that has a marker of ours, as `asof` is, in its condition, and that depends on the outer query's
  * row. Of its own joins Spark makes ones that join the rows of all outer rows at once.
  */
object CorrelatedMarker {

  /** A column of the outer query in the join's condition or below it. */
  def outerColumn(join: LogicalPlan): Option[String] =
    join.collectFirst(Function.unlift((_: LogicalPlan).expressions.flatMap(outer).headOption))

  private[this] def outer(e: Expression): Option[String] =
    e.collectFirst { case OuterReference(column) => column.sql }
}
