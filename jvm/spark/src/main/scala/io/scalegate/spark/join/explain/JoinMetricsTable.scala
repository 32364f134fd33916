package io.scalegate.spark.join.explain

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.scalegate.TaskAccess
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession}

import io.scalegate.spark.join.operator.TaskWork
import io.scalegate.spark.settings.Errors

/** What `df.hint("JOIN_METRICS", "operator")` is: a row for each join of this package that the frame's newest run had, or,
  * with "task", for each thread of each task of those that are run by an operator of the papers. The frame is not run: it
  * or a query over it, such as a count or a write, must have run, as one of the last [[RecentQueries.Most]] that had joins.
  *
  * @param per
  *   one of [[JoinMetricsTable.All]]
  */
final case class JoinMetricsTable(plan: LogicalPlan, per: String) extends FrameCommand {
  override val output: Seq[Attribute] = DataTypeUtils.toAttributes(JoinMetricsTable.All(per))

  override def run(session: SparkSession): Seq[Row] = {
    val analyzed = query(session).analyzed
    TaskAccess.waitForListeners(session.sparkContext)
    val ran = RecentQueries.last.find(_.ran(analyzed))
      .getOrElse(throw Errors.notRun(RecentQueries.Most))
    ran.joins.zipWithIndex.flatMap { case (join, number) =>
      if (per == JoinMetricsTable.Operator)
        Seq(JoinMetricsTable.ofJoin(number, join, ran.seconds))
      else JoinMetricsTable.ofThreads(number, join)
    }
  }
}

object JoinMetricsTable {
  val Name = "JOIN_METRICS"
  val Operator = "operator"
  val Task = "task"

  /** The columns, by what a row is told of. */
  val All: Map[String, StructType] = Map(
    Operator -> StructType.fromDDL(
      "operator INT, algorithm STRING, seconds DOUBLE, tasks INT, threads INT, left_rows BIGINT, right_rows BIGINT, " +
        "results BIGINT, comparisons BIGINT, rows_per_second DOUBLE, results_per_second DOUBLE, " +
        "comparisons_per_second DOUBLE, share_deviation DOUBLE, peak_window_rows BIGINT, merges BIGINT, " +
        "splitting DOUBLE, highest_splitting INT, layout_changes INT"
    ),
    Task -> StructType.fromDDL(
      "operator INT, task INT, thread INT, seconds DOUBLE, comparisons BIGINT, matches BIGINT, stored BIGINT, " +
        "peak_window_rows BIGINT, share DOUBLE"
    )
  )

  private def ofJoin(number: Int, join: RecentJoin, seconds: Double): Row = {
    val work = join.work
    def known[A](value: => A): Any = if (work.isEmpty) null else value
    def figure(name: String): Any = join.figures.get(name).orNull
    def perSecond(n: Any): Any = n match {
      case count: Long if seconds > 0 => count / seconds
      case _ => null
    }
    def details(name: String): Seq[Double] =
      work.flatMap(_.details.collect { case (`name`, value) => value })
    def over[A](name: String)(f: Seq[Double] => A): Any =
      Some(details(name)).filter(_.nonEmpty).map(f).orNull
    val left = known(work.map(_.rows.left).sum)
    val right = known(work.map(_.rows.right).sum)
    Row(
      number,
      join.algorithm,
      seconds,
      known(work.size),
      known(work.map(_.byThread.workers.size).max),
      left,
      right,
      figure("numOutputRows"),
      figure("comparisons"),
      perSecond(known(work.map(w => w.rows.left + w.rows.right).sum)),
      perSecond(figure("numOutputRows")),
      perSecond(figure("comparisons")),
      known(deviation(work)),
      figure("peakWindow"),
      over("merges")(_.sum.toLong),
      over("splitting")(degrees => degrees.sum / degrees.size),
      over("highest_splitting")(_.max.toInt),
      over("layout_changes")(_.sum.toInt)
    )
  }

  /** The standard deviation of the threads' shares of their task's comparisons as a part of an even share, over the tasks
    * by their comparisons.
    */
  private[this] def deviation(work: Seq[TaskWork]): Double = {
    val all = work.map(_.byThread.comparisons).sum
    if (all == 0) 0.0
    else work.map(w => w.byThread.skew * w.byThread.comparisons).sum / all
  }

  private def ofThreads(number: Int, join: RecentJoin): Seq[Row] = {
    val all = join.work.map(_.byThread.comparisons).sum.toDouble
    for {
      task <- join.work
      (thread, i) <- task.byThread.workers.zipWithIndex
    } yield Row(
      number,
      task.partition,
      i,
      task.nanos / 1e9,
      thread.comparisons,
      thread.matches,
      thread.stored,
      thread.peakWindowRows,
      if (all > 0) thread.comparisons / all else null
    )
  }
}
