package io.scalegate.spark.window.rules

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement

import io.scalegate.spark.settings.ScaleGateConf

/** Tells the aggregates of a query that is about to start its output mode, on a Spark that does not tell it to their
  * operators. A hint resolution rule, which sees such a query first.
  */
object TellOutputMode extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case w: WriteToStreamStatement if ScaleGateConf.enabled(conf) =>
      w.copy(inputQuery = QueryOutputMode.tell(w.inputQuery, w.outputMode))
    case other => other
  }
}
