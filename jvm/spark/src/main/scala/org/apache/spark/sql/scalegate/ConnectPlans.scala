package org.apache.spark.sql.scalegate

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** What Spark Connect says of the plans that it makes of a client's frames, which Spark keeps to itself. */
object ConnectPlans {

  /** Whether a plan is that of a frame of a client, which knows it by a number. */
  def isOfFrame(plan: LogicalPlan): Boolean =
    plan.getTagValue(LogicalPlan.PLAN_ID_TAG).nonEmpty
}
