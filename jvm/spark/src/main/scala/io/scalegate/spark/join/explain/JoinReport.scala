package io.scalegate.spark.join.explain

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.spark.bounds.BoundText
import io.scalegate.spark.join.aggregate.{IntervalAggregate, IntervalAggregateCandidate}
import io.scalegate.spark.join.asof.AsOfJoin
import io.scalegate.spark.join.cube.CubeJoin
import io.scalegate.spark.join.plan.{LeftToSpark, WindowJoinCandidate, WindowJoinStrategy}
import io.scalegate.spark.join.rowcount.RowWindowJoin
import io.scalegate.spark.join.stream.plan.{StreamingJoinsReport, StreamingWindowJoin}
import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.spark.window.rules.WindowsReport

/** Says of each join of a query, and of each aggregate over sliding windows, whether it is run here, and if not, why. A
  * query over streams is as it will be when it starts; one that is refused then is refused here.
  */
object JoinReport {

  /** A line for each join, in the order of the plan from its top, and then for each aggregate over windows. */
  def lines(frame: DataFrame): Seq[String] =
    lines(frame.asInstanceOf[Dataset[_]].queryExecution)

  private[explain] def lines(query: QueryExecution): Seq[String] =
    query.sparkSession.withActive {
      val streams = new StreamingJoinsReport(query.analyzed)
      if (ScaleGateConf.enabled(SQLConf.get)) streams.refuse()
      val planned = ofAny(query)
      lines(planned.optimizedPlan, streams) ++ WindowsReport.of(planned)
    }

  /** A query over streams that is not refused for what only one that was started may read. */
  private[this] def ofAny(query: QueryExecution) =
    if (!query.analyzed.isStreaming) query
    else
      new QueryExecution(query.sparkSession, query.logical) {
        override def assertSupported(): Unit = ()
      }

  private[this] def lines(plan: LogicalPlan, streams: StreamingJoinsReport): Seq[String] =
    plan.collectWithSubqueries {
      case join: Join => s"${title(join)}: ${verdict(join, streams)}"
      case join: StreamingWindowJoin => s"${title(join.join)}: $Runs"
      case rows: RowWindowJoin =>
        val which = if (rows.window.leftKeys.isEmpty) "" else " per key"
        s"${rows.joinType.sql} join over a window of rows$which: $Runs"
      case asOf: AsOfJoin =>
        s"${asOf.joinType.sql} as-of join, ${BoundText.withoutOwnNames(asOf.terms.describe)}: $Runs"
      case around: IntervalAggregate =>
        val what = around.describe(around.joins.map(new IntervalAggregateCandidate(_)))
        s"aggregate of the right rows around each left row, $what: $Runs"
      case cube: CubeJoin =>
        s"join of three inputs ON ${BoundText.withoutOwnNames(cube.condition.sql)}: $Runs"
    }

  private[this] def title(join: Join): String = {
    val condition = new WindowJoinCandidate(join).bareCondition
    s"${join.joinType.sql} join${condition.fold("")(c => s" ON ${c.sql}")}"
  }

  private[this] def verdict(join: Join, streams: StreamingJoinsReport): String =
    whyNot(join, streams).fold(Runs)(why => s"left to Spark, since $why")

  private[this] val Runs = "run by scalegate"

  /** Why a join is left to Spark; None of one that is run here. */
  private[this] def whyNot(join: Join, streams: StreamingJoinsReport): Option[String] = {
    val candidate = new WindowJoinCandidate(join)
    if (!ScaleGateConf.enabled(SQLConf.get)) Some(s"${ScaleGateConf.Enabled} is false")
    else if (candidate.isOfStreams) Some(streams.whyLeft(join))
    else if (WindowJoinStrategy.runs(join)) None
    else
      candidate.notPlannable
        .orElse(candidate.unbounded.map(_ + ". The hint WINDOW_JOIN compares all pairs"))
        .orElse(noWindow(candidate))
        .orElse(LeftToSpark.reason(candidate, SQLConf.get))
        .orElse(Some(
          "its inputs are too large to be held, and its bounds are no window to slide, or nothing can lie in them. " +
            "The hint WINDOW_JOIN runs it here"
        ))
  }

  private[this] def noWindow(c: WindowJoinCandidate): Option[String] =
    Option.when(!c.isBounded)(
      "nothing beside its equal keys bounds a difference between the sides from below and from above"
    )
}
