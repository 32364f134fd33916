package io.scalegate.spark.join.plan

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  AttributeSet,
  ExpressionSet
}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{
  LogicalPlan,
  Statistics,
  UnresolvedHint,
  WithCTE
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.CommandExecutionMode
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType
import org.apache.spark.sql.{Row, SparkSession, classic}

import io.scalegate.spark.plan.OwnNode

/** What `df.hint("EXPLAIN_JOINS")` is, in Scala with `.toDF()` behind it: instead of the frame's rows, a row for each
  * of its joins, with what [[JoinReport]] says of it. The frame is planned and not run.
  *
  * A client of Spark Connect has no other way to ask. As in Spark's own `EXPLAIN`, the frame's plan is no child, so
  * that analysis leaves it alone and `run`, on the driver, takes it through every step.
  */
final case class ExplainJoins(plan: LogicalPlan) extends LeafRunnableCommand with OwnNode {
  override val output: Seq[Attribute] =
    Seq(AttributeReference("join", StringType, nullable = false)())

  override def maxRows: Option[Long] = None
  override def maxRowsPerPartition: Option[Long] = None
  override def stats: Statistics = Statistics.DUMMY // as of any command, whose rows are local
  override def references: AttributeSet = AttributeSet.empty
  override protected def uniqueBy: Set[ExpressionSet] = Set.empty
  override protected def holds: ExpressionSet = ExpressionSet()

  override def innerChildren: Seq[QueryPlan[_]] = Seq(plan)

  override def run(session: SparkSession): Seq[Row] = {
    val state = session.asInstanceOf[classic.SparkSession].sessionState
    JoinReport.lines(state.executePlan(plan, CommandExecutionMode.SKIP)).map(Row(_))
  }
}

/** Finds the hint where it is the last thing said of a frame. It runs among the hint resolution rules of analysis, as
  * [[io.scalegate.spark.join.hint.ResolveWindowJoinHint]] does. Spark has lifted the frame's common table expressions
  * above the hint by then.
  */
object ResolveExplainJoins extends Rule[LogicalPlan] {
  val Name = "EXPLAIN_JOINS"

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case Hinted(frame) => ExplainJoins(frame)
    case WithCTE(Hinted(frame), tables) => ExplainJoins(WithCTE(frame, tables))
    case other => other
  }

  private[this] object Hinted {
    def unapply(plan: LogicalPlan): Option[LogicalPlan] = plan match {
      case UnresolvedHint(name, Seq(), frame) if name.equalsIgnoreCase(Name) => Some(frame)
      case _ => None
    }
  }
}
