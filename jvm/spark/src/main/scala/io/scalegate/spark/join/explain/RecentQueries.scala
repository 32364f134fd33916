package io.scalegate.spark.join.explain

import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.util.QueryExecutionListener

import io.scalegate.spark.join.WindowJoinNode
import io.scalegate.spark.join.cube.CubeJoinExec
import io.scalegate.spark.join.operator.OperatorNode

/** Remembers what the joins of the last queries did, of all sessions of the driver, for who asks afterwards. It holds
  * hashes of their plans and their figures, and so nothing of what they ran on, which Spark may clean up. Spark tells it
  * of a query in a thread of its own, after the query's end.
  */
object RecentQueries extends QueryExecutionListener with AdaptiveSparkPlanHelper {

  /** As many as are remembered. */
  val Most = 16

  /** The newest first. */
  @volatile private[this] var queries = Vector.empty[RecentQuery]

  private[explain] def last: Seq[RecentQuery] = queries

  override def onSuccess(function: String, query: QueryExecution, nanos: Long): Unit = {
    // The batches of a stream beside a table would leave no room for others.
    val joins = if (query.analyzed.isStreaming) Nil else joinsOf(query.executedPlan)
    if (joins.nonEmpty) synchronized {
      // A session that was cloned from another may tell twice.
      if (!queries.exists(_.id == query.id)) {
        val plans = query.analyzed.collect { case plan => plan.semanticHash() }.toSet
        val newest = RecentQuery(query.id, plans, nanos / 1e9, joins)
        queries = (newest +: queries).take(Most)
      }
    }
  }

  override def onFailure(function: String, query: QueryExecution, failure: Exception): Unit = ()

  private[this] def joinsOf(plan: SparkPlan): Seq[RecentJoin] =
    collectWithSubqueries(plan) {
      case join: OperatorNode => RecentJoin(join.description, figuresOf(join), join.work)
      case join: WindowJoinNode => RecentJoin(join.description, figuresOf(join), Nil)
      case join: CubeJoinExec => RecentJoin(join.description, figuresOf(join), Nil)
    }

  private[this] def figuresOf(join: SparkPlan) =
    join.metrics.map { case (name, metric) => name -> metric.value }
}
