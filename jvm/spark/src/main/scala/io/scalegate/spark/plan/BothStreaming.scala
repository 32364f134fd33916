package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}

/** Whether both inputs of a join are streams: then its state is of both, and not of a stream beside a table. */
private[spark] object BothStreaming {
  def apply(left: LogicalPlan, right: LogicalPlan): Boolean =
    left.isStreaming && right.isStreaming

  /** The join, as a pattern. */
  def unapply(join: Join): Option[Join] = Option.when(apply(join.left, join.right))(join)
}
