package io.scalegate.spark.join.python

import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.plans.{LeftAnti, LeftOuter, LeftSemi, RightOuter}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.join.MovesFilters

/** Moves filters below [[PythonJoin]]s to the input whose rows are kept, as Spark moves them below outer, semi and anti
  * joins. None moves below a window of rows, which counts the rows that the filter would take away.
  */
object PushThroughPythonJoin extends Rule[LogicalPlan] with MovesFilters {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case filter @ Filter(condition, join: PythonJoin) if !join.isOfRows =>
      val input = join.joinType match {
        case LeftOuter | LeftSemi | LeftAnti => Some(join.left)
        case RightOuter => Some(join.right)
        case _ => None
      }
      val (below, above) =
        input.fold((Seq(condition).take(0), Seq(condition)))(i => split(condition, i.outputSet))
      if (below.isEmpty) filter
      else
        filtered(
          join.mapChildren(child =>
            if (input.contains(child)) filtered(child, below) else child
          ),
          above
        )
  }
}
