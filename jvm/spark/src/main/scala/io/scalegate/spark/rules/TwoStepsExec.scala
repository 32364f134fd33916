package io.scalegate.spark.rules

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** The physical node of a [[TwoSteps]]: an operator's own physical nodes begin below it. [[DropTwoSteps]] removes it
  * before the plan is executed.
  */
final case class TwoStepsExec(child: SparkPlan) extends UnaryExecNode {
  override def nodeName: String = "TwoSteps"
  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering
  override def supportsColumnar: Boolean = child.supportsColumnar

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): TwoStepsExec =
    copy(child = newChild)
}
