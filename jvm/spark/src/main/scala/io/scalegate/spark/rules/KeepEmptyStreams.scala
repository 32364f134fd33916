package io.scalegate.spark.rules

import org.apache.spark.sql.catalyst.plans.logical.{Join, LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.join.cube.CubeJoin
import io.scalegate.spark.join.stream.plan.StreamingWindowJoin
import io.scalegate.spark.plan.BothStreaming
import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.spark.window.TimeWindows

/** Puts an [[EmptyStream]] in the place of Spark's own empty relation, in queries that this package may run a part of.
  * The rule runs in every batch, before the optimizer.
  */
object KeepEmptyStreams extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf) || !plan.isStreaming || !plan.exists(isOurs)) plan
    else
      plan.transformUp {
        case LocalRelation(output, Seq(), true, _) => EmptyStream(output)
      }

  private[this] def isOurs(plan: LogicalPlan): Boolean = plan match {
    case j: Join => BothStreaming(j.left, j.right)
    case _: StreamingWindowJoin | _: CubeJoin | _: TimeWindows => plan.isStreaming
    case _ => false
  }
}
