package io.scalegate.spark.window.rules

import org.apache.spark.sql.catalyst.analysis.{EliminateSubqueryAliases, EliminateView}
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.optimizer.{InlineCTE, ReplaceExpressions, SimplifyCasts}
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Expand, Filter, LogicalPlan}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.spark.bounds.{BoundText, TermType}
import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.spark.window.stream.StreamingPanes
import io.scalegate.spark.window.{SlidingAggregate, TimeWindows}

/** Says of each aggregate over sliding windows of a query whether this package computes it, and why not. Windows that do
  * not overlap are Spark's, and nothing is said of them. Made on the driver when somebody asks.
  *
  * @param query
  *   before the optimizer, which makes other plans of what is left to Spark, and after [[ExtractTimeWindows]]
  * @param conf
  *   under which the query would run
  */
final private class WindowsReport(query: LogicalPlan, conf: SQLConf) {

  /** A line for each aggregate, in the order of the plan from its top. */
  def lines: Seq[String] = plain.collectWithSubqueries {
    case aggregate @ Over(windows) =>
      s"${title(aggregate, windows)}: ${verdict(aggregate, windows)}"
  }

  /** What the rule has found may run here. */
  private[this] val extracted = query.collectWithSubqueries { case w: TimeWindows => w.window }

  /** The query with all its sliding windows as one node each, and without the names in it. */
  private[this] def plain: LogicalPlan = {
    // First, for they are known by the expressions that the analyzer makes of them.
    val gathered = query.transformUpWithSubqueries {
      case f @ Filter(_, e: Expand) => FoundTimeWindows.any(f, e).getOrElse(f)
    }
    Seq(InlineCTE(), EliminateView, EliminateSubqueryAliases, ReplaceExpressions, SimplifyCasts)
      .foldLeft(gathered)((plan, rule) => rule(plan))
  }

  private[this] object Over {
    def unapply(aggregate: Aggregate): Option[TimeWindows] = aggregate.child match {
      case PhysicalOperation(_, _, windows: TimeWindows) => Some(windows)
      case _ => None
    }
  }

  private[this] def title(aggregate: Aggregate, windows: TimeWindows): String = {
    def duration(micros: Long) = BoundText(BigDecimal(micros), TermType.TimestampTerm)
    val names = aggregate.groupingExpressions.map {
      case Alias(value, _) => value.sql
      case other => other.sql
    }
    val by = windows.by
    s"aggregate over windows of ${duration(by.size)} every ${duration(by.slide)}" +
      s", by ${names.mkString(", ")}"
  }

  private[this] def verdict(aggregate: Aggregate, windows: TimeWindows): String = {
    def by = windows.design.orElse(
      if (aggregate.isStreaming) None
      else
        ScaleGateConf.design(conf).filter(_ =>
          SlidingAggregate.unapply(aggregate).exists(DesignedFunctions.areFixed)
        )
    )
    whyNot(aggregate, windows).fold(
      s"run by scalegate, ${by.fold("on panes")(design => s"by the design $design")}"
    )(why => s"left to Spark, since $why")
  }

  private[this] def whyNot(aggregate: Aggregate, windows: TimeWindows): Option[String] =
    if (!extracted.exists(_.exprId == windows.window.exprId)) Some(notFound(windows))
    else
      aggregate match {
        case SlidingAggregate(found)
            if aggregate.isStreaming && !StreamingPanes.isRunnable(found) =>
          Some(
            "a key is the event time of a watermark, or of a type whose equal values may differ in their bytes"
          )
        case SlidingAggregate(_) => None
        case _ => Some(shape(aggregate, windows))
      }

  /** Why the rule has left windows as they are. */
  private[this] def notFound(windows: TimeWindows): String =
    if (!ScaleGateConf.enabled(conf)) s"${ScaleGateConf.Enabled} is false"
    else if (!ScaleGateConf.aggregates(conf)) s"${ScaleGateConf.Aggregates} is false"
    else if (!FoundTimeWindows.mayRun(windows, conf))
      s"${SQLConf.STATEFUL_OPERATOR_ALLOW_MULTIPLE.key} is false"
    else if (!windows.time.deterministic)
      s"${windows.time.sql} has another value each time that it is computed"
    else
      s"windows are ${windows.by.size / windows.by.slide} times as long as they are apart, and " +
        s"${ScaleGateConf.MinOverlap} is ${ScaleGateConf.minOverlap(conf)}"

  /** What of an aggregate panes cannot compute. */
  private[this] def shape(aggregate: Aggregate, windows: TimeWindows): String = {
    val functions =
      aggregate.aggregateExpressions.flatMap(_.collect { case f: AggregateExpression => f })
    functions.find(!SlidingAggregate.mergeable(_)) match {
      case Some(function) if function.isDistinct =>
        s"partial results of ${function.sql} do not merge. A function that is approximate does, as approx_count_distinct"
      case Some(function) =>
        s"${function.sql} has no partial results that merge, as none in Python has"
      case None =>
        s"its groups are not by ${windows.window.sql} itself and columns, a function reads it, or a " +
          "filter does together with a key of floats or of a collation"
    }
  }
}

private[spark] object WindowsReport {

  /** The lines of a frame, as its session's settings are now. */
  def of(query: QueryExecution): Seq[String] =
    new WindowsReport(query.withCachedData, query.sparkSession.sessionState.conf).lines
}
