package io.scalegate.spark.window.rules

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.scalegate.RealTimeMode

import io.scalegate.spark.join.stream.plan.RealTimeQueries
import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.spark.window.hint.{WindowDesignHint, WindowEmitHint}

/** Refuses a query that is about to start in Real-Time Mode, whose windows are given as a hint or the setting says, where its
  * session or its sink is not made for that. A hint resolution rule, which sees such a query first.
  */
object CheckRealTimeWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case w: WriteToStreamStatement
          if ScaleGateConf.enabled(conf) && RealTimeMode.isKnown && RealTimeMode.isAsked(w) &&
            w.inputQuery.exists(isAsked) =>
        RealTimeQueries.refuseAround(w, conf)
      case _ =>
    }
    plan
  }

  private[this] def isAsked(plan: LogicalPlan) = plan match {
    case _: WindowEmitHint | _: WindowDesignHint => true
    case GatheredTimeWindows(_) | TumblingWindows(_) =>
      ScaleGateConf.realTimeWindows(conf).nonEmpty
    case _ => false
  }
}
