package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.AttributeSet
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.join.MovesFilters

/** Gives an [[IntervalAggregate]] less to do: moves filters of left columns below it, since what becomes of a left row
  * depends on no other left row, and takes out of it what nobody reads. One of streams stays, for without it the right
  * stream would not be read, and its watermark would hold back what stands above.
  */
object NarrowIntervalAggregate extends Rule[LogicalPlan] with MovesFilters {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case filter @ Filter(condition, a: IntervalAggregate) =>
      val (below, above) = split(condition, a.left.outputSet)
      if (below.isEmpty) filter else filtered(a.copy(left = filtered(a.left, below)), above)
    case project @ Project(_, a: IntervalAggregate) if !isRead(a, project.references) =>
      project.copy(child = only(a, project.references))
    case project @ Project(_, filter @ Filter(condition, a: IntervalAggregate))
        if !isRead(a, project.references ++ condition.references) =>
      val read = project.references ++ condition.references
      project.copy(child = filter.copy(child = only(a, read)))
  }

  private[this] def isRead(a: IntervalAggregate, columns: AttributeSet): Boolean =
    a.results.forall(columns.contains)

  private[this] def only(a: IntervalAggregate, columns: AttributeSet): LogicalPlan = {
    val parts = a.parts.map(p => p.copy(terms = p.terms.only(columns)))
      .filter(_.terms.output.nonEmpty)
    if (parts.nonEmpty) a.copy(parts = parts) else if (a.isStreaming) a else a.left
  }
}
