package io.scalegate.spark.rules

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan}

import io.scalegate.spark.join.WindowJoinOutputExec

/** Lets a join's rows that no generated code reads leave the join as they are: generated code of their own would put
  * each into a queue of one row, which takes longer than to make it.
  *
  * The rule runs after the transitions between rows and columns, one of the [[LastRules]].
  */
object OutputWithoutCodegen extends Rule[SparkPlan] {
  def apply(plan: SparkPlan): SparkPlan = left(plan.transformUp {
    case p if !isGenerated(p) => p.mapChildren(left)
  })

  private[this] def left(plan: SparkPlan): SparkPlan = plan match {
    case o: WindowJoinOutputExec if o.canLeave => o.copy(leaving = true)
    case p => p
  }

  private[this] def isGenerated(plan: SparkPlan) = plan match {
    case c: CodegenSupport => c.supportCodegen
    case _ => false
  }
}
