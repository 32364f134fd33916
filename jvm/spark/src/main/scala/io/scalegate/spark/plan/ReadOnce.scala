package io.scalegate.spark.plan

import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics, UnaryNode}

/** An input that a plan has several times and runs once, since its rows may be others when they are read again.
  *
  * It is in the plan from the rules before the cost-based ones on. [[ReadOnceStrategy]] plans each copy as an exchange,
  * and Spark runs the first and reuses it for the others. Nothing moves below it, for what moved below one of the
  * copies only would make them differ: it needs all of its columns, in their order.
  *
  * @param columns
  *   the child's when the copies were made, in the same order in each
  * @param id
  *   the same in all copies of one input, and of no other
  * @param why
  *   the rows may be others
  * @param atRest
  *   whether the rows of a stream's batch are here a table's, which are joined with the batch as one
  */
final case class ReadOnce(
    columns: Seq[Attribute],
    id: Long,
    why: String,
    child: LogicalPlan,
    atRest: Boolean = false
) extends UnaryNode
    with OwnNode {
  override def isStreaming: Boolean = !atRest && super.isStreaming
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

  /** The same input several times, each with columns of its own. */
  def apply(copies: Seq[LogicalPlan], why: String): Seq[ReadOnce] = {
    val id = ids.incrementAndGet()
    copies.map(copy => ReadOnce(copy.output, id, why, copy))
  }
}
