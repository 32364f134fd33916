package io.scalegate.spark.plan

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  ExpressionSet,
  SortOrder,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Filter,
  Join,
  LogicalPlan,
  Project,
  Statistics,
  Subquery,
  UnaryNode
}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy, UnaryExecNode}

import io.scalegate.spark.ScaleGateConf
import io.scalegate.spark.aggregate.PaneAggregate

/** Stands above an operator that runs in two steps: the first prepares rows for an exchange, by copying them to cells or by
  * adding them up in panes, and what the second makes of them is more rows, and others. Once the exchange has run, adaptive
  * execution puts a leaf in the operator's place, and that has the exchange's figures: so many rows, of such a size. The
  * operators above ask here instead, where the figures are those that the operator had.
  *
  * It is a node of the physical plan as well until that is executed: what adaptive execution replaces is all that a node of
  * the query was planned as.
  */
final case class TwoSteps(child: LogicalPlan) extends UnaryNode with OwnNode {
  override def output: Seq[Attribute] = child.output

  private[this] def operator: LogicalPlan = TwoSteps.unstaged(child)

  private[this] def hasRun: Boolean = child.exists(_.isInstanceOf[LogicalQueryStage])

  /** None is claimed while it runs: a figure that is too low costs rows, and one that is right saves little by then. */
  override def maxRows: Option[Long] = if (hasRun) None else operator.maxRows
  override def maxRowsPerPartition: Option[Long] =
    if (hasRun) None else operator.maxRowsPerPartition
  override def stats: Statistics = operator.stats
  override def references: AttributeSet = AttributeSet.empty
  override protected def uniqueBy: Set[ExpressionSet] = operator.distinctKeys
  override protected def holds: ExpressionSet = operator.constraints
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  override protected def withNewChildInternal(newChild: LogicalPlan): TwoSteps =
    copy(child = newChild)
}

object TwoSteps {

  /** The plan as it was before an exchange within its operator had run. */
  private def unstaged(plan: LogicalPlan): LogicalPlan = plan match {
    case stage: LogicalQueryStage if !stage.isDirectStage => stage.logicalPlan
    case _: Project | _: Filter => plan.mapChildren(unstaged)
    case operator => operator
  }
}

/** Puts a [[TwoSteps]] above each operator that may be run so. One that gives one side's rows alone needs it too: the exchange
  * that has run first may be the other side's.
  *
  * A correlated subquery has none until Spark has made a join of it: it takes the subquery's nodes apart before.
  */
object MarkTwoSteps extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case Subquery(_, true) => plan
    case _ if !ScaleGateConf.enabled(conf) || plan.isStreaming => plan
    case _ => marked(plan)
  }

  private[this] def marked(plan: LogicalPlan): LogicalPlan = plan match {
    case steps: TwoSteps => steps.mapChildren(within)
    case operator if isRunSo(operator) => TwoSteps(within(operator))
    case other => within(other)
  }

  private[this] def within(plan: LogicalPlan): LogicalPlan =
    plan.mapChildren(marked).transformExpressions { case s: SubqueryExpression =>
      s.withNewPlan(marked(s.plan))
    }

  private[this] def isRunSo(plan: LogicalPlan): Boolean = plan match {
    case join: Join => WindowJoinStrategy.runs(join)
    case PaneAggregate(found) => found.windows.kept && !plan.asInstanceOf[Aggregate].isStreaming
    case _ => false
  }
}

/** Plans a [[TwoSteps]]. */
object TwoStepsStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case TwoSteps(operator) => Seq(TwoStepsExec(planLater(operator)))
    case _ => Nil
  }
}

/** Where an operator's own physical nodes begin, see [[TwoSteps]]. */
final case class TwoStepsExec(child: SparkPlan) extends UnaryExecNode {
  override def nodeName: String = "TwoSteps"
  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering
  override def supportsColumnar: Boolean = child.supportsColumnar

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): TwoStepsExec =
    copy(child = newChild)
}

/** Takes a [[TwoStepsExec]] out of what is executed, and generated code goes through. */
object DropTwoSteps extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp { case TwoStepsExec(child) =>
    child
  }
}
