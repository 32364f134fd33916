package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.logical.{
  BinaryNode,
  Join,
  JoinHint,
  LogicalPlan,
  Statistics
}

/** A join that is no Join of Spark's. It has the columns and no more rows than a Join of its type whatever the
  * condition, and nothing more is said of them.
  */
trait JoinNode extends BinaryNode with OwnNode with KeepsAliases {
  def joinType: JoinType

  override def output: Seq[Attribute] =
    Join.computeOutput(joinType, left.output, right.output)

  /** The Join that gives all rows that this one may give. */
  private[this] def widest = Join(left, right, joinType, None, JoinHint.NONE)

  /** A batch of a stream is joined with rows of earlier ones, too. */
  override def maxRows: Option[Long] = if (isStreaming) None else widest.maxRows
  override def maxRowsPerPartition: Option[Long] = maxRows
  override def stats: Statistics = Statistics(sizeInBytes = widest.stats.sizeInBytes)
  override def references: AttributeSet =
    AttributeSet.fromAttributeSets(expressions.map(_.references))
  override protected def uniqueBy: Set[ExpressionSet] = Set.empty
  override protected def holds: ExpressionSet = ExpressionSet()

  protected def over(left: LogicalPlan, right: LogicalPlan): JoinNode

  final override protected def withNewChildrenInternal(
      l: LogicalPlan,
      r: LogicalPlan
  ): LogicalPlan = over(l, r)
}
