package org.apache.spark.sql.scalegate

import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}

/** Spark has `NEAREST … BY` since 4.2. */
object SparkNearest {
  def unapply(plan: LogicalPlan): Option[(Join, Int)] = None
}
