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
  Statistics,
  SupportsNonDeterministicExpression
}

import io.scalegate.spark.bounds.BoundText
import io.scalegate.spark.plan.{BothStreaming, InTwoSteps, StatefulNode}

/** Each left row with aggregates of the right rows that have its keys and whose time lies in an interval around its own:
  * one row for each left row, whatever matches it.
  *
  * It is made of a lateral subquery, or a correlated scalar one, before the optimizer makes a join of that, which gives
  * all pairs; of streams while the query is analyzed. Planned when the query is; it holds no rows.
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
    with StatefulNode
    with SupportsNonDeterministicExpression
    with InTwoSteps {
  override def output: Seq[Attribute] = left.output ++ terms.output
  override def producedAttributes: AttributeSet = terms.produced

  /** A function whose result depends on the order of the rows is one to Spark. */
  override def allowNonDeterministicExpression: Boolean = true

  /** The join whose pairs are aggregated. */
  def join: Join = Join(left, right, LeftOuter, Some(condition), JoinHint.NONE)

  def isOfStreams: Boolean = BothStreaming(left, right)

  /** What EXPLAIN says of it.
    *
    * @param algorithm
    *   how it is run
    */
  def describe(candidate: IntervalAggregateCandidate, algorithm: String): String =
    s"${describe(candidate)}; algorithm: $algorithm"

  /** The same but for how it is run. */
  def describe(candidate: IntervalAggregateCandidate): String = {
    val base = candidate.base
    val same = base.leftKeys.zip(base.rightKeys).map { case (l, r) => s"${l.sql} = ${r.sql}" }
    val last = if (keepsLast) " and the last row before it" else ""
    BoundText.withoutOwnNames(
      Seq(
        Option.when(same.nonEmpty)(same.mkString("keys: ", ", ", "")),
        Some(s"window: ${base.sweep.shown}$last"),
        Some(s"aggregates: ${terms.describe}")
      ).flatten.mkString("; ")
    )
  }

  /** Rows of a stream wait, whichever batch they come in. */
  override def maxRows: Option[Long] = if (isStreaming) None else left.maxRows
  override def maxRowsPerPartition: Option[Long] = maxRows

  override def stats: Statistics = {
    val widening = EstimationUtils.getSizePerRow(output).toDouble /
      EstimationUtils.getSizePerRow(left.output).toDouble
    val bytes = (BigDecimal(left.stats.sizeInBytes) * widening).toBigInt.max(BigInt(1))
    Statistics(sizeInBytes = bytes, rowCount = left.stats.rowCount)
  }

  override def references: AttributeSet = condition.references ++ terms.inputs
  override protected def uniqueBy: Set[ExpressionSet] =
    if (isStreaming) Set.empty else left.distinctKeys
  override protected def holds: ExpressionSet = left.constraints

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): IntervalAggregate = copy(left = newLeft, right = newRight)
}
