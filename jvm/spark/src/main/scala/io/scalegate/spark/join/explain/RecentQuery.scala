package io.scalegate.spark.join.explain

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** A query of batches that ran joins of this package.
  *
  * @param plans
  *   hashes of its analyzed plan and of all below: a count's or a write's has the frame's in it
  * @param seconds
  *   that it took
  */
final private[explain] case class RecentQuery(
    id: Long,
    plans: Set[Int],
    seconds: Double,
    joins: Seq[RecentJoin]
) {

  /** Whether a frame of this analyzed plan was run by it. */
  def ran(analyzed: LogicalPlan): Boolean = plans.contains(analyzed.semanticHash())
}
