package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, ExpressionSet}
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

/** Each left row with aggregates of the right rows that have its keys and whose time lies in an interval around its own, or
  * in each of several: one row for each left row, whatever matches it.
  *
  * It is made of a lateral subquery, or a correlated scalar one, before the optimizer makes a join of that, which gives
  * all pairs; of streams while the query is analyzed. Planned when the query is; it holds no rows.
  *
  * @param parts
  *   the intervals, one or more
  */
final case class IntervalAggregate(
    left: LogicalPlan,
    right: LogicalPlan,
    parts: Seq[IntervalPart]
) extends BinaryNode
    with StatefulNode
    with SupportsNonDeterministicExpression
    with InTwoSteps {
  override def output: Seq[Attribute] = left.output ++ results
  override def producedAttributes: AttributeSet =
    AttributeSet.fromAttributeSets(parts.map(_.terms.produced))

  /** The columns that it makes. */
  def results: Seq[Attribute] = parts.flatMap(_.terms.output)

  /** A function whose result depends on the order of the rows is one to Spark. */
  override def allowNonDeterministicExpression: Boolean = true

  /** Of each interval the join whose pairs are aggregated. */
  def joins: Seq[Join] =
    parts.map(part => Join(left, right, LeftOuter, Some(part.condition), JoinHint.NONE))

  /** Whether the last right row before an interval counts, too. */
  def keepsLast: Boolean = parts.exists(_.keepsLast)

  /** The intervals as they are run.
    *
    * @param candidates
    *   of its joins, each of which is one interval
    */
  def sliding(candidates: Seq[IntervalAggregateCandidate]): Seq[SlidingInterval] =
    parts.zip(candidates).map { case (part, candidate) =>
      SlidingInterval(candidate.band.get, part.terms, part.keepsLast)
    }

  def isOfStreams: Boolean = BothStreaming(left, right)

  /** What EXPLAIN says of it.
    *
    * @param candidates
    *   of its joins
    * @param algorithm
    *   how it is run
    */
  def describe(candidates: Seq[IntervalAggregateCandidate], algorithm: String): String =
    s"${describe(candidates)}; algorithm: $algorithm"

  /** The same but for how it is run. */
  def describe(candidates: Seq[IntervalAggregateCandidate]): String = {
    val base = candidates.head.base
    val same = base.leftKeys.zip(base.rightKeys).map { case (l, r) => s"${l.sql} = ${r.sql}" }
    val intervals = candidates.zip(parts).flatMap { case (candidate, part) =>
      val last = if (part.keepsLast) " and the last row before it" else ""
      Seq(
        s"window: ${candidate.base.sweep.shown}$last",
        s"aggregates: ${part.terms.describe}"
      )
    }
    val keys = Option.when(same.nonEmpty)(same.mkString("keys: ", ", ", ""))
    BoundText.withoutOwnNames((keys ++ intervals).mkString("; "))
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

  override def references: AttributeSet =
    AttributeSet.fromAttributeSets(parts.flatMap(p =>
      Seq(p.condition.references, p.terms.inputs)
    ))
  override protected def uniqueBy: Set[ExpressionSet] =
    if (isStreaming) Set.empty else left.distinctKeys
  override protected def holds: ExpressionSet = left.constraints

  override protected def withNewChildrenInternal(
      newLeft: LogicalPlan,
      newRight: LogicalPlan
  ): IntervalAggregate = copy(left = newLeft, right = newRight)
}
