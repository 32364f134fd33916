package io.scalegate.spark.join.plan

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.spark.bounds.BoundText
import io.scalegate.spark.join.asof.AsOfJoin
import io.scalegate.spark.join.rowcount.RowWindowJoin
import io.scalegate.spark.settings.ScaleGateConf

/** Says of each join of a batch query whether it is run here, and if not, why. */
object JoinReport {

  /** A line for each join, in the order of the plan from its top. */
  def lines(frame: DataFrame): Seq[String] =
    lines(frame.asInstanceOf[Dataset[_]].queryExecution)

  private[plan] def lines(query: QueryExecution): Seq[String] =
    query.sparkSession.withActive(lines(query.optimizedPlan))

  private[plan] def lines(plan: LogicalPlan): Seq[String] =
    plan.collectWithSubqueries {
      case join: Join => s"${title(join)}: ${verdict(join)}"
      case rows: RowWindowJoin =>
        val which = if (rows.window.leftKeys.isEmpty) "" else " per key"
        s"${rows.joinType.sql} join over a window of rows$which: run by scalegate"
      case asOf: AsOfJoin =>
        s"${asOf.joinType.sql} as-of join, ${BoundText.withoutOwnNames(asOf.terms.describe)}: run by scalegate"
    }

  private[this] def title(join: Join): String = {
    val condition = new WindowJoinCandidate(join).bareCondition
    s"${join.joinType.sql} join${condition.fold("")(c => s" ON ${c.sql}")}"
  }

  private[this] def verdict(join: Join): String =
    whyNot(join).fold("run by scalegate")(why => s"left to Spark, since $why")

  /** Why a join is left to Spark; None of one that is run here. */
  private[this] def whyNot(join: Join): Option[String] = {
    val candidate = new WindowJoinCandidate(join)
    if (!ScaleGateConf.enabled(SQLConf.get)) Some(s"${ScaleGateConf.Enabled} is false")
    else if (candidate.isOfStreams)
      Some("it is decided when the query starts: explain the running query")
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
