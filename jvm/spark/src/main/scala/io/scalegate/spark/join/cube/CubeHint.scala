package io.scalegate.spark.join.cube

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.scalegate.spark.plan.HintNode

/** The hint `CUBE_JOIN` on a join of three inputs. The node is in the plan from hint resolution until [[ExtractCubeJoin]]
  * makes one node of it and of the two joins.
  *
  * @param layout
  *   as the hint writes it, if it does
  */
final case class CubeHint(child: LogicalPlan, layout: Option[String]) extends HintNode {
  override protected def on(relation: LogicalPlan): CubeHint = copy(child = relation)
}
