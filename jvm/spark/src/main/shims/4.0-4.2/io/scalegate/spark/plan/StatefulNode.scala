package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A node of a streaming query that keeps a state, which no query has to know before 4.3. */
trait StatefulNode extends LogicalPlan
