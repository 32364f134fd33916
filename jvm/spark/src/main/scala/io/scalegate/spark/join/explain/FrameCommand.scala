package io.scalegate.spark.join.explain

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, ExpressionSet}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.execution.{CommandExecutionMode, QueryExecution}
import org.apache.spark.sql.{SparkSession, classic}

import io.scalegate.spark.plan.OwnNode

/** A question about a frame, which a hint on it asks: the answer's rows stand in the place of the frame's. In Scala it is
  * `df.hint(name).toDF()`. A client of Spark Connect has no other way to ask.
  *
  * As in Spark's own `EXPLAIN`, the frame's plan is no child, so that analysis leaves it alone and `run`, on the driver,
  * takes it through the steps that it needs.
  */
trait FrameCommand extends LeafRunnableCommand with OwnNode {

  /** The frame's, not analyzed. */
  def plan: LogicalPlan

  /** The frame's query, of which nothing is run. */
  final protected def query(session: SparkSession): QueryExecution =
    session.asInstanceOf[classic.SparkSession].sessionState
      .executePlan(plan, CommandExecutionMode.SKIP)

  override def maxRows: Option[Long] = None
  override def maxRowsPerPartition: Option[Long] = None
  override def stats: Statistics = Statistics.DUMMY // as of any command, whose rows are local
  override def references: AttributeSet = AttributeSet.empty
  override protected def uniqueBy: Set[ExpressionSet] = Set.empty
  override protected def holds: ExpressionSet = ExpressionSet()

  override def innerChildren: Seq[QueryPlan[_]] = Seq(plan)
}
