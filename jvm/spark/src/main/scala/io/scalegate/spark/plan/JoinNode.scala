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
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.util.collection.BitSet

/** A join that is no Join of Spark's. It has the columns and no more rows than a Join of its type whatever the
  * condition, and nothing more is said of them.
  */
trait JoinNode extends BinaryNode with OwnNode {
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

  /** Says that there are no aliases below. Spark takes away those that only rename, but of a Join's side none that the
    * other side has the column of: a stream that is joined with itself under other names would have the same columns on
    * both sides.
    */
  override def getDefaultTreePatternBits: BitSet = {
    val bits = super.getDefaultTreePatternBits
    bits.unset(TreePattern.ALIAS.id)
    bits
  }

  protected def over(left: LogicalPlan, right: LogicalPlan): JoinNode

  final override protected def withNewChildrenInternal(
      l: LogicalPlan,
      r: LogicalPlan
  ): LogicalPlan = over(l, r)
}
