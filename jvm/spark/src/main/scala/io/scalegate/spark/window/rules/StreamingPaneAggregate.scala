package io.scalegate.spark.window.rules

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  Expression,
  ExpressionSet,
  NamedExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Statistics, UnaryNode}

import io.scalegate.spark.plan.{OwnNode, StatefulNode}

/** An aggregate of a stream that this package runs on panes. A node of its own and no Aggregate: Spark plans the
  * aggregates of streams before it asks anybody else.
  */
final case class StreamingPaneAggregate(
    grouping: Seq[Expression],
    aggregates: Seq[NamedExpression],
    child: LogicalPlan
) extends UnaryNode
    with OwnNode
    with StatefulNode {
  override def output: Seq[Attribute] = aggregates.map(_.toAttribute)

  /** A batch may close windows of rows that came long before, and nothing is known of these. */
  override def maxRows: Option[Long] = None
  override def maxRowsPerPartition: Option[Long] = None
  override def stats: Statistics = Statistics(sizeInBytes = child.stats.sizeInBytes)
  override def references: AttributeSet =
    AttributeSet.fromAttributeSets(expressions.map(_.references))
  override protected def uniqueBy: Set[ExpressionSet] = Set.empty
  override protected def holds: ExpressionSet = ExpressionSet()

  def aggregate: Aggregate = Aggregate(grouping, aggregates, child)

  /** Shows the aggregate that it stands for. Spark looks for one so to know a limit over a result that is given anew in
    * each batch, as in complete mode, from one over rows that come once: the second counts across batches.
    */
  override def exists(f: LogicalPlan => Boolean): Boolean =
    f(this) || f(aggregate) || child.exists(f)

  override protected def withNewChildInternal(newChild: LogicalPlan): StreamingPaneAggregate =
    copy(child = newChild)
}
