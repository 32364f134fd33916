package io.scalegate.spark.rules

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.scalegate.stream.ReadyOperators

/** The package's last rules for a physical plan. Spark inserts the transitions between rows and columns between the
  * two, and only generated code comes after them.
  */
object LastRules extends ColumnarRule {
  override def preColumnarTransitions: Rule[SparkPlan] =
    plan => RowExchanges(ReadyOperators(DropTwoSteps(plan)))
  override def postColumnarTransitions: Rule[SparkPlan] = OutputWithoutCodegen
}
