package io.scalegate.spark.rules

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.scalegate.stream.ReadyOperators

/** What comes last, but for the transitions between rows and columns and the generated code. */
object LastRules extends ColumnarRule {
  override def preColumnarTransitions: Rule[SparkPlan] =
    plan => ReadyOperators(DropTwoSteps(plan))
  override def postColumnarTransitions: Rule[SparkPlan] = OutputWithoutCodegen
}
