package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A node of a streaming query that keeps a state: Spark tracks the progress of a query in Real-Time Mode by another way
  * where there is none.
  */
trait StatefulNode extends LogicalPlan {
  override def isStateful: Boolean = isStreaming
}
