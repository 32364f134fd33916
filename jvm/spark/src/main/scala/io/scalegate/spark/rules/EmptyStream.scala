package io.scalegate.spark.rules

import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, Statistics}

import io.scalegate.spark.plan.OwnNode

/** A stream that has no rows for a batch. [[KeepEmptyStreams]] puts it in when a batch's plan is normalized, and
  * [[EmptyStreamStrategy]] plans it.
  *
  * Spark has a local relation for such a stream. The optimizer folds what is above a local relation into it, with names
  * and constants: the same query would have another plan, with another way to bring rows together, in a batch without
  * data. To this node the optimizer does what it does to a stream with rows.
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
