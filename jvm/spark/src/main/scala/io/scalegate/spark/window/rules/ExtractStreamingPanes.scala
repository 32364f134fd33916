package io.scalegate.spark.window.rules

import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.window.{SlidingAggregate, TimeWindows}

/** Takes the aggregates over windows that are kept for panes out of Spark's hands, when the optimizer has moved filters
  * and columns below them. A rule before the cost-based ones.
  */
object ExtractStreamingPanes extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming || !plan.exists(_.isInstanceOf[TimeWindows])) plan
    else
      plan.transformUp {
        case a @ SlidingAggregate(found) if a.isStreaming && found.windows.kept =>
          val aggregate = a.asInstanceOf[Aggregate]
          StreamingPaneAggregate(
            aggregate.groupingExpressions,
            aggregate.aggregateExpressions,
            aggregate.child
          )
      }
}
