package io.scalegate.spark.join.hint

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.scalegate.spark.plan.HintNode

/** The hint `WINDOW_JOIN` on an input of a join yet to be made or resolved. The node is in the plan from hint
  * resolution until [[MoveHintToCondition]] makes it a part of a join; where there is no join it plans as its child.
  */
final case class WindowJoinHint(child: LogicalPlan, options: HintOptions) extends HintNode {
  override protected def on(relation: LogicalPlan): WindowJoinHint = copy(child = relation)
}
