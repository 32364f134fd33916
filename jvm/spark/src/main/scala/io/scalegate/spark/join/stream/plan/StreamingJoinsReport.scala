package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}

import io.scalegate.spark.join.cube.CubeJoin
import io.scalegate.spark.join.plan.SimplifiedJoin
import io.scalegate.spark.plan.BothStreaming

/** What there is to say of a query's joins of streams before it starts.
  *
  * @param analyzed
  *   the query. The optimizer drops the columns that nothing reads, event times among them
  */
final class StreamingJoinsReport(analyzed: LogicalPlan) {
  private[this] val query = PythonOfStreams.withoutPython(StreamingCube.in(analyzed))
  private[this] val joins = query.collectWithSubqueries { case BothStreaming(j) => j }

  /** Refuses the joins that are refused when the query starts, but for what depends on its output mode. */
  def refuse(): Unit = {
    joins.filter(HideStreamingJoins.isDecided).foreach(j =>
      StreamingJoins.candidate(SimplifiedJoin(j))
    )
    query.foreach {
      case cube: CubeJoin if cube.isStreaming => new StreamingCube(SimplifiedJoin(cube)).refuse()
      case _ =>
    }
  }

  /** Why a join of the optimized query is left to Spark. */
  def whyLeft(join: Join): String = {
    val whole = joins.find { j =>
      join.left.outputSet.subsetOf(j.left.outputSet) &&
      join.right.outputSet.subsetOf(j.right.outputSet)
    }
    val same = whole.fold(join)(_.copy(condition = join.condition))
    StreamingJoins.asked(same).refusal.getMessage
  }
}
