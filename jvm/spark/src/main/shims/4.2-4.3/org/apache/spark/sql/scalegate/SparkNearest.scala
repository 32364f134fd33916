package org.apache.spark.sql.scalegate

import org.apache.spark.sql.catalyst.plans.NearestByDistance
import org.apache.spark.sql.catalyst.plans.logical.{Join, JoinHint, LogicalPlan, NearestByJoin}

/** `NEAREST … BY DISTANCE` as a join whose condition is the distance, and the rows for each left row at most. */
object SparkNearest {
  def unapply(plan: LogicalPlan): Option[(Join, Int)] = plan match {
    case n: NearestByJoin if n.direction == NearestByDistance =>
      val join = Join(n.left, n.right, n.joinType, Some(n.rankingExpression), JoinHint.NONE)
      Some((join, n.numResults))
    case _ => None
  }
}
