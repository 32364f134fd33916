package io.scalegate.spark.join.asof

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.logical.statsEstimation.EstimationUtils
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics}

import io.scalegate.spark.plan.{JoinNode, OwnNode}

/** The join of each left row with the right rows nearest to it in time. A node of its own and no Join: a filter of the
  * right columns that moves below a join leaves the join's rows as they are, but takes rows away here that would have
  * been the nearest, and so makes others of them.
  *
  * @param condition
  *   what a right row must satisfy, with the left one, to be taken at all
  * @param joinType
  *   inner, left outer, left semi or left anti
  * @param broadcast
  *   whether a hint asks for the right side to be broadcast, whatever its size
  */
final case class AsOfJoin(
    left: LogicalPlan,
    right: LogicalPlan,
    terms: AsOfTerms,
    condition: Option[Expression],
    joinType: JoinType,
    broadcast: Boolean
) extends JoinNode {

  /** A left row has no more rows than it may have right ones, whichever batch of a stream it comes in. */
  override def maxRows: Option[Long] =
    if (isStreaming) None else OwnNode.times(left.maxRows, terms.most.toLong)

  override def stats: Statistics = {
    val rows = left.stats.rowCount.map(_ * terms.most)
    val widening =
      EstimationUtils.getSizePerRow(output).toDouble / EstimationUtils
        .getSizePerRow(left.output).toDouble
    val bytes =
      (BigDecimal(left.stats.sizeInBytes * terms.most) * widening).toBigInt.max(BigInt(1))
    Statistics(sizeInBytes = bytes, rowCount = rows)
  }

  override protected def over(l: LogicalPlan, r: LogicalPlan): AsOfJoin =
    copy(left = l, right = r)
}
