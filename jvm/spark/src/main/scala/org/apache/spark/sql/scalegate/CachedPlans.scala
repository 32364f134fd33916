package org.apache.spark.sql.scalegate

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.{SparkSession, classic}

/** Whether the session has cached the rows of a plan. On the driver; any thread. */
object CachedPlans {

  /** @param plan
    *   a part of a query that Spark has not looked up in its cache yet
    */
  def contains(plan: LogicalPlan): Boolean = SparkSession.getActiveSession.exists {
    case session: classic.SparkSession =>
      val cache = session.sharedState.cacheManager
      !cache.isEmpty && cache.lookupCachedData(session, plan).nonEmpty
    case _ => false
  }
}
