package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.logical.{
  Join,
  LeafNode,
  LocalRelation,
  LogicalPlan,
  Statistics
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan, SparkStrategy}

import io.scalegate.spark.ScaleGateConf
import io.scalegate.spark.aggregate.TimeWindows

/** A stream that has no rows for a batch. Spark has a local relation for it, which the optimizer folds what is above
  * into, names and constants with it: the same query has then another plan, with another way to bring rows together, in a
  * batch without data. To this node the optimizer does what it does to a stream that has some.
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

/** Puts it into the queries that this package may run a part of, in every batch. */
object KeepEmptyStreams extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf) || !plan.isStreaming || !plan.exists(isOurs)) plan
    else
      plan.transformUp {
        case LocalRelation(output, Seq(), true, _) => EmptyStream(output)
      }

  private[this] def isOurs(plan: LogicalPlan): Boolean = plan match {
    case j: Join => j.left.isStreaming && j.right.isStreaming
    case _: StreamingWindowJoin | _: TimeWindows => plan.isStreaming
    case _ => false
  }
}

object EmptyStreamStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case EmptyStream(output) => LocalTableScanExec(output, Nil, None) :: Nil
    case _ => Nil
  }
}
