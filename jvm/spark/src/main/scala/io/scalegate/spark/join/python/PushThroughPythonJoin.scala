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
      kept(join).fold[LogicalPlan](filter) { input =>
        val (below, above) = split(condition, input.outputSet)
        if (below.isEmpty) filter
        else
          filtered(
            join.mapChildren(child => if (child eq input) filtered(child, below) else child),
            above
          )
      }
  }

  /** The input each of whose rows is given for itself. */
  private[this] def kept(join: PythonJoin): Option[LogicalPlan] = join.joinType match {
    case LeftOuter | LeftSemi | LeftAnti => Some(join.left)
    case RightOuter => Some(join.right)
    case _ => None
  }
}
