package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.join.python.ExtractPythonJoin
import io.scalegate.spark.plan.BothStreaming
import io.scalegate.spark.settings.ScaleGateConf

/** Takes the joins of streams out of Spark's hands when the optimizer has moved the filters and columns below them. A
  * rule before the cost-based ones. It moves filters that call functions in Python on both sides' columns, which the
  * optimizer makes conditions of inner joins, back above these.
  */
object ExtractStreamingWindowJoin extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf)) plan
    else
      plan.transformUp {
        case BothStreaming(j) =>
          ExtractPythonJoin.filtered(j) match {
            case Some(Filter(python, pairs: Join)) => Filter(python, joined(pairs))
            case _ => joined(j)
          }
      }

  private[this] def joined(j: Join): LogicalPlan =
    StreamingJoins.candidate(j).fold[LogicalPlan](j) { _ =>
      StreamingWindowJoin(j.left, j.right, j.joinType, j.condition)
    }
}
