package io.scalegate.spark.settings

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.ExplainCommand
import org.apache.spark.sql.execution.{QueryExecution, SQLExecution}

/** The query that a plan is being made for. Spark plans a query when it is run, and also for those who only want to see
  * the plan: nobody expects that to compute anything. Asked on the driver, by the thread that plans.
  */
object RunningQuery {

  /** None where a plan is only looked at. */
  def in(session: SparkSession): Option[QueryExecution] =
    for {
      id <- Option(session.sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY))
      query <- Option(SQLExecution.getQueryExecution(id.toLong))
      if !query.logical.isInstanceOf[ExplainCommand]
    } yield query
}
