package io.scalegate.spark.join.plan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.util.QueryExecutionListener

import io.scalegate.spark.join.WindowJoinNode
import io.scalegate.spark.join.operator.{OperatorNode, TaskWork}

/** A query of batches that ran joins of this package.
  *
  * @param plan
  *   analyzed; the frame's own, or one that has it in it, as that of a count or a write has
  * @param seconds
  *   that it took
  */
final private[plan] case class RecentQuery(
    id: Long,
    plan: LogicalPlan,
    seconds: Double,
    joins: Seq[MeasuredJoin]
)

/** One of its joins.
  *
  * @param figures
  *   the physical node's SQL metrics, over all of its tasks
  * @param work
  *   of an operator's tasks; none for what Spark's own tasks join
  */
final private[plan] case class MeasuredJoin(
    name: String,
    figures: Map[String, Long],
    work: Seq[TaskWork]
) {

  /** How it was run, from what EXPLAIN says. */
  def algorithm: String = name.split("; ").find(_.startsWith(MeasuredJoin.Algorithm))
    .fold(name)(_.stripPrefix(MeasuredJoin.Algorithm))
}

private[plan] object MeasuredJoin {
  val Algorithm = "algorithm: "
}

/** Remembers what the joins of the last queries did, of all sessions of the driver, for who asks afterwards. It holds
  * their analyzed plans and their figures, and nothing that they ran on. Spark tells it of a query in a thread of its own,
  * after the query's end.
  */
object RecentQueries extends QueryExecutionListener with AdaptiveSparkPlanHelper {

  /** As many as are remembered. */
  val Most = 16

  /** The newest first. */
  @volatile private[this] var queries = Vector.empty[RecentQuery]

  private[plan] def last: Seq[RecentQuery] = queries

  override def onSuccess(function: String, query: QueryExecution, nanos: Long): Unit = {
    val joins = joinsOf(query.executedPlan)
    if (joins.nonEmpty) synchronized {
      // A session that was cloned from another may tell twice.
      if (!queries.exists(_.id == query.id)) {
        val newest = RecentQuery(query.id, query.analyzed, nanos / 1e9, joins)
        queries = (newest +: queries).take(Most)
      }
    }
  }

  override def onFailure(function: String, query: QueryExecution, failure: Exception): Unit = ()

  private[this] def joinsOf(plan: SparkPlan): Seq[MeasuredJoin] =
    collectWithSubqueries(plan) { case join: WindowJoinNode =>
      val work = join match {
        case operator: OperatorNode => operator.work
        case _ => Nil
      }
      val figures = join.metrics.map { case (name, metric) => name -> metric.value }
      MeasuredJoin(join.description, figures, work)
    }
}
