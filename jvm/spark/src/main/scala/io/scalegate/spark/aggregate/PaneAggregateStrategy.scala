package io.scalegate.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.aggregate.Final
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.scalegate.GroupingKeys

/** Plans aggregates over sliding windows on panes: a partial aggregate by keys and pane, and above it the one that
  * slides. Spark puts an exchange by the keys between the two.
  */
object PaneAggregateStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case PaneAggregate(found) => Seq(planned(found))
    case windows: TimeWindows => Seq(planLater(windows.expanded))
    case _ => Nil
  }

  private[this] def planned(found: PaneAggregate): SparkPlan = {
    val keys = found.keys.map(GroupingKeys.normalized)
    PaneWindowsExec(
      found.windows.by,
      keys.map(_.toAttribute),
      found.window,
      found.functions.map(_.copy(mode = Final, filter = None)),
      found.having,
      found.results,
      PartialPanesExec.packs(found),
      PartialPanesExec.plan(found, keys, input(found))
    )
  }

  /** What lies below the windows is planned by itself: adaptive execution puts what it has run in the place of a node of
    * the query's plan, and would look for ever for one that is made here.
    */
  private[this] def input(found: PaneAggregate): SparkPlan = found.input match {
    case Project(fields, Filter(condition, rows)) if rows eq found.windows.child =>
      ProjectExec(fields, FilterExec(condition, planLater(rows)))
    case Project(fields, rows) if rows eq found.windows.child =>
      ProjectExec(fields, planLater(rows))
    case other => planLater(other)
  }
}
