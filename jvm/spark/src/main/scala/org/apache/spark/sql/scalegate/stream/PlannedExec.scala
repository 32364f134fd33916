package org.apache.spark.sql.scalegate.stream
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}

import io.scalegate.stream.Sides

/** What the planner makes of a stateful operator, until the plan is cloned to be prepared for execution: making a
  * [[HostedExec]] takes milliseconds in each batch, for its base class broadcasts a Hadoop configuration, and the
  * planner would make three.
  *
  * @param make
  *   the operator over these inputs
  */
final case class PlannedExec(
    output: Seq[Attribute],
    left: SparkPlan,
    right: SparkPlan,
    make: Sides[SparkPlan] => HostedExec
) extends BinaryExecNode {
  override def clone(): SparkPlan = {
    val exec = make(Sides(left.clone(), right.clone()))
    exec.copyTagsFrom(this)
    exec
  }

  override protected def doExecute(): RDD[InternalRow] =
    throw new IllegalStateException(
      "the plan was not cloned before it was prepared for execution"
    )

  override protected def withNewChildrenInternal(l: SparkPlan, r: SparkPlan): SparkPlan =
    copy(left = l, right = r)
}
