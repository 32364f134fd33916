package org.apache.spark.sql.scalegate.stream

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.scalegate.RealTimeMode

import io.scalegate.spark.settings.ScaleGateConf

/** Puts a [[ReadyExec]] in the place of each [[HostedExec]], with its exchanges to itself where there are others
  * ([[OperatorInputExec]]), and checks what stands around them in Real-Time Mode. The rule runs with the last rules, before the transitions between rows and columns.
  */
object ReadyOperators extends Rule[SparkPlan] {
  def apply(plan: SparkPlan): SparkPlan = {
    val ready = plan.transform { case h: HostedExec => ReadyExec(h, h.hosted, h.left, h.right) }
    if (ready eq plan) plan
    else {
      if (ScaleGateConf.checksRealTime(conf)) RealTimeMode.checkOperators(ready)
      OperatorInputExec.of(ready)
    }
  }
}
