package io.scalegate.spark.rules

import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, Statistics}

import io.scalegate.spark.plan.OwnNode

/** A stream that has no rows for a batch. Spark has a local relation for it, which the optimizer folds what is above
  * into, names and constants with it: the same query has then another plan, with another way to bring rows together, in
  * a batch without data. To this node the optimizer does what it does to a stream that has some.
  */
final case class EmptyStream(output: Seq[Attribute])
    extends LeafNode
    with MultiInstanceRelation
    with OwnNode {
  override def isStreaming: Boolean = true

  // Not that there are none: the plan is to be the one that there is with rows.
  override def maxRows: Option[Long] = None
  override def maxRowsPerPartition: Option[Long] = None
  override def stats: Statistics = Statistics(sizeInBytes = 1)
  override def references: AttributeSet = AttributeSet.empty
  override protected def uniqueBy: Set[ExpressionSet] = Set.empty
  override protected def holds: ExpressionSet = ExpressionSet()

  override def newInstance(): EmptyStream = copy(output.map(_.newInstance()))
}
