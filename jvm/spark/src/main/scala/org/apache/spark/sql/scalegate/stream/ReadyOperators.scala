package org.apache.spark.sql.scalegate.stream
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan

/** Puts a [[ReadyExec]] in the place of each [[HostedExec]]. The rule runs with the last rules, before the transitions
  * between rows and columns.
  */
object ReadyOperators extends Rule[SparkPlan] {
  def apply(plan: SparkPlan): SparkPlan = plan.transform { case h: HostedExec =>
    ReadyExec(h, h.hosted, h.left, h.right)
  }
}
