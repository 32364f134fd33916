package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.settings.ScaleGateConf

/** Takes the joins of streams out of Spark's hands when the optimizer has moved the filters and columns below them. A
  * rule before the cost-based ones.
  */
object ExtractStreamingWindowJoin extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf)) plan
    else
      plan.transformUp {
        case j: Join if j.left.isStreaming && j.right.isStreaming =>
          StreamingJoins.candidate(j).fold[LogicalPlan](j) { _ =>
            StreamingWindowJoin(j.left, j.right, j.joinType, j.condition)
          }
      }
}
