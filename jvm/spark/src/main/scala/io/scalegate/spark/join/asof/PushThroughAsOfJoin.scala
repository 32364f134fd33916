package io.scalegate.spark.join.asof

import org.apache.spark.sql.catalyst.expressions.And
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.plans.{InnerLike, LeftSemi}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.join.MovesFilters

/** Moves filters below [[AsOfJoin]]s, as Spark moves them below its own joins. What becomes of a left row depends on no
  * other left row, so a filter of left columns above may go below. Of the join's own condition what is about right
  * columns alone takes right rows away before the nearest are chosen, which is what it says; what is about left columns
  * alone may go below where a left row that fails it is not given.
  */
object PushThroughAsOfJoin extends Rule[LogicalPlan] with MovesFilters {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case filter @ Filter(condition, join: AsOfJoin) =>
      val (below, above) = split(condition, join.left.outputSet)
      if (below.isEmpty) filter
      else {
        filtered(join.copy(left = filtered(join.left, below)), above)
      }
    case join: AsOfJoin if join.condition.nonEmpty =>
      val (ofRight, others) = split(join.condition.get, join.right.outputSet)
      val (ofLeft, rest) = join.joinType match {
        case _: InnerLike | LeftSemi =>
          others.partition(c => c.references.subsetOf(join.left.outputSet) && isMovable(c))
        case _ => (Nil, others)
      }
      if (ofRight.isEmpty && ofLeft.isEmpty) join
      else
        join.copy(
          left = filtered(join.left, ofLeft),
          right = filtered(join.right, ofRight),
          condition = rest.reduceOption(And.apply)
        )
  }
}
