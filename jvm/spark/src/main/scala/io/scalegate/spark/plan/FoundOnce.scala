package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.classic.SparkSession

import io.scalegate.spark.settings.RunningQuery

/** What a job finds of a join's inputs when the join is planned: once for the join and all the copies that adaptive
  * execution makes of it, and not where the plan is only looked at. The thread that plans the query calls it.
  */
final private[spark] class FoundOnce[A](name: String) {
  private[this] val tag = TreeNodeTag[Option[A]](name)

  def in(join: LogicalPlan)(find: SparkSession => Option[A]): Option[A] =
    join.getTagValue(tag).getOrElse {
      FoundOnce.running.flatMap { session =>
        val found = find(session)
        join.setTagValue(tag, found)
        found
      }
    }
}

private[spark] object FoundOnce {

  /** The session whose query is planned to be run; None where its plan is only looked at. */
  def running: Option[SparkSession] =
    SparkSession.getActiveSession.filter(RunningQuery.in(_).nonEmpty)
}
