package io.scalegate.spark.window.rules

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.scalegate.GroupingKeys

import io.scalegate.spark.window.partial.PartialPanesExec
import io.scalegate.spark.window.slide.PaneWindowsExec
import io.scalegate.spark.window.{SlidingAggregate, TimeWindows}

/** Plans aggregates over sliding windows on panes: a partial aggregate by keys and pane, and above it the one that
  * slides. Spark puts an exchange by the keys between the two.
  */
object SlidingAggregateStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case SlidingAggregate(found) => Seq(planned(found))
    case windows: TimeWindows => Seq(planLater(windows.expanded))
    case _ => Nil
  }

  private[this] def planned(found: SlidingAggregate): SparkPlan = {
    val keys = found.keys.map(GroupingKeys.normalized)
    PaneWindowsExec(
      found.terms(keys),
      found.window,
      found.results,
      PartialPanesExec.packs(found),
      PartialPanesExec.plan(found, keys, planLater)
    )
  }
}
