package io.scalegate.spark.join.cube

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.scalegate.matrix.cube.CubeLayout
import io.scalegate.spark.plan.HintNode

/** The hint `CUBE_JOIN` on a join of three inputs. The node is in the plan from hint resolution until [[ExtractCubeJoin]]
  * makes one node of it and of the two joins.
  *
  * @param layout
  *   of the workers, if it says one
  */
final case class CubeHint(child: LogicalPlan, layout: Option[CubeLayout]) extends HintNode {
  override protected def on(relation: LogicalPlan): CubeHint = copy(child = relation)
}
