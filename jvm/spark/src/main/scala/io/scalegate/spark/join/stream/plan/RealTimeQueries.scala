package io.scalegate.spark.join.stream.plan

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, RepartitionOperation}
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.scalegate.RealTimeMode

import io.scalegate.spark.join.aggregate.{ExtractIntervalAggregate, IntervalAggregate}
import io.scalegate.spark.join.cube.CubeJoin
import io.scalegate.spark.plan.{PythonCall, StatefulNode}
import io.scalegate.spark.settings.{Errors, ScaleGateConf}

/** What is refused of a query in Real-Time Mode that joins streams here, when it is about to start. */
private[spark] object RealTimeQueries {

  /** @param hidden
    *   the query, its joins hidden
    */
  def refuse(query: WriteToStreamStatement, hidden: LogicalPlan, conf: SQLConf): Unit = {
    val joins = hidden.collect { case p if HideStreamingJoins.isOurs(p) => p }
    if (RealTimeMode.isAsked(query)) {
      if (!RealTimeMode.isKnown) {
        if (joins.nonEmpty) throw Errors.realTimeRelease(SPARK_VERSION)
      } else {
        refuseSortedTables(hidden)
        for (join <- joins; e <- join.expressions; call <- e.find(_.isInstanceOf[PythonCall]))
          throw Errors.pythonStream(call.sql)
        if (joins.exists(_.isInstanceOf[CubeJoin]))
          throw Errors.realTimeOperator("a join of three streams by CUBE_JOIN")
        if (joins.nonEmpty) refuseAround(query, conf)
        joins.foreach { c =>
          c.children.flatMap(_.find(mixesSources)).foreach { below =>
            throw Errors.realTimeOperator(s"a join of two streams above a ${below.nodeName}")
          }
        }
      }
    }
  }

  /** A batch that lasts sorts its rows when it ends. */
  private[this] def refuseSortedTables(query: LogicalPlan): Unit =
    ExtractIntervalAggregate(query).foreach {
      case a: IntervalAggregate if a.left.isStreaming && !a.right.isStreaming =>
        throw Errors.realTimeOperator(
          s"a subquery that aggregates the rows of a table around each row of a stream (${a.parts.map(_.condition.sql).mkString(", ")})"
        )
      case _ =>
    }

  /** What is refused of every query with an operator of this package. */
  def refuseAround(query: WriteToStreamStatement, conf: SQLConf): Unit = {
    refuseSetting(conf)
    refuseSink(query, conf)
  }

  private[this] def refuseSetting(conf: SQLConf): Unit =
    if (ScaleGateConf.sparkChecksRealTime(conf))
      throw Errors.realTimeSetting(ScaleGateConf.SparkChecksRealTime)

  private[this] def refuseSink(query: WriteToStreamStatement, conf: SQLConf): Unit =
    if (ScaleGateConf.checksRealTime(conf)) RealTimeMode.checkSink(query)

  /** Whether rows of several sources come out of one task, or later than they came in: such a task's newest row does not
    * say how old the next one may be.
    */
  def mixesSources(plan: LogicalPlan): Boolean = plan.isStreaming &&
    (HideStreamingJoins.isTimed(plan) || plan.isInstanceOf[StatefulNode] ||
      plan.isInstanceOf[RepartitionOperation])
}
