package io.scalegate.spark.window.rules

import org.apache.spark.sql.catalyst.plans.logical.{Expand, Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.FILTER

/** Writes sliding windows, of enough overlap, as one projection where Spark's analyzer has written one for each window:
  * what it still does to the query, it would do to every one of dozens of them, and again in each batch of a stream. A
  * resolution rule of analysis.
  */
object GatherTimeWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!FoundTimeWindows.areWanted(conf)) plan
    else
      plan.resolveOperatorsUpWithPruning(_.containsPattern(FILTER)) {
        case f @ Filter(_, e: Expand) =>
          FoundTimeWindows.in(f, e, conf).fold[LogicalPlan](f)(GatheredTimeWindows(_))
      }
}
