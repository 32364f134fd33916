package io.scalegate.spark.plan

import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics, UnaryNode}

/** An input that a plan has in several places, and that is run in one: its rows may be others when they are read again.
  * The exchange below each place is the same to Spark, which reuses the first.
  *
  * Nothing moves below it, for what moved below one of the places only would make them differ: it needs all of its
  * columns, in their order.
  *
  * @param columns
  *   the child's when the places were made, in the same order in each
  * @param id
  *   the same in all places of one input, and of no other
  * @param why
  *   the rows may be others
  */
final case class ReadOnce(columns: Seq[Attribute], id: Long, why: String, child: LogicalPlan)
    extends UnaryNode
    with OwnNode {
  override def output: Seq[Attribute] = columns
  override def references: AttributeSet = AttributeSet(columns)
  override def stats: Statistics = child.stats
  override protected def uniqueBy: Set[ExpressionSet] = Set.empty
  override protected def holds: ExpressionSet = ExpressionSet()

  override def maxRows: Option[Long] = child.maxRows

  /** They are dealt to other partitions than those that they came from. */
  override def maxRowsPerPartition: Option[Long] = child.maxRows

  override protected def withNewChildInternal(newChild: LogicalPlan): LogicalPlan =
    copy(child = newChild)
}

object ReadOnce {
  private[this] val ids = new AtomicLong

  /** The same input in several places, each with columns of its own. */
  def apply(copies: Seq[LogicalPlan], why: String): Seq[ReadOnce] = {
    val id = ids.incrementAndGet()
    copies.map(copy => ReadOnce(copy.output, id, why, copy))
  }
}
