package org.apache.spark.sql.scalegate

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.execution.SparkPlan

/** Spark's Real-Time Mode, which 4.0 does not have. */
object RealTimeMode {

  /** Whether this release's operators give rows before their inputs end. */
  val isKnown: Boolean = false

  /** Whether a query that is about to start asks for it. */
  def isAsked(query: WriteToStreamStatement): Boolean = false

  /** Whether a batch's plan reads its streams in it. */
  def isIn(plan: LogicalPlan): Boolean = false

  /** The same of what is executed. */
  def isIn(plan: SparkPlan): Boolean = false

  /** Throws where Spark does not allow the sink in this mode. */
  def checkSink(query: WriteToStreamStatement): Unit = ()

  /** Throws where Spark does not allow one of a batch's operators in this mode. */
  def checkOperators(plan: SparkPlan): Unit = ()
}
