package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  Expression,
  ExpressionSet
}
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical.statsEstimation.EstimationUtils
import org.apache.spark.sql.catalyst.plans.logical.{
  BinaryNode,
  Join,
  JoinHint,
  LogicalPlan,
  Statistics
}

import io.scalegate.spark.plan.OwnNode

/** Each left row with aggregates of the right rows that have its keys and whose time lies in an interval around its own:
  * one row for each left row, whatever matches it.
  *
  * It is made of a lateral subquery, or a correlated scalar one, before the optimizer makes a join of that, which gives
  * all pairs. Planned when the query is; it holds no rows.
  *
  * @param condition
  *   equality keys, and bounds on the difference of two times
  * @param keepsLast
  *   whether the last right row before the interval counts, too, while none stands where the interval begins
  */
final case class IntervalAggregate(
    left: LogicalPlan,
    right: LogicalPlan,
    condition: Expression,
    terms: AggregateTerms,
    keepsLast: Boolean
) extends BinaryNode
    with OwnNode {
  override def output: Seq[Attribute] = left.output ++ terms.output
  override def producedAttributes: AttributeSet = terms.produced

  /** The join whose pairs are aggregated. */
  def join: Join = Join(left, right, LeftOuter, Some(condition), JoinHint.NONE)

  override def maxRows: Option[Long] = left.maxRows
  override def maxRowsPerPartition: Option[Long] = maxRows

  override def stats: Statistics = {
    val widening = EstimationUtils.getSizePerRow(output).toDouble /
      EstimationUtils.getSizePerRow(left.output).toDouble
    val bytes = (BigDecimal(left.stats.sizeInBytes) * widening).toBigInt.max(BigInt(1))
    Statistics(sizeInBytes = bytes, rowCount = left.stats.rowCount)
  }

  override def references: AttributeSet = condition.references ++ terms.inputs
  override protected def uniqueBy: Set[ExpressionSet] = left.distinctKeys
  override protected def holds: ExpressionSet = left.constraints

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): IntervalAggregate = copy(left = newLeft, right = newRight)
}
