package org.apache.spark.sql.scalegate

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.RealTimeTrigger

/** Spark's Real-Time Mode, which has no operators with a state before 4.3. */
object RealTimeMode {

  /** Whether this release's operators give rows before their inputs end. */
  val isKnown: Boolean = false

  /** Whether a query that is about to start asks for it. */
  def isAsked(query: WriteToStreamStatement): Boolean =
    query.trigger.isInstanceOf[RealTimeTrigger]

  /** Whether a batch's plan reads its streams in it. */
  def isIn(plan: LogicalPlan): Boolean = false

  /** The same of what is executed. */
  def isIn(plan: SparkPlan): Boolean = false

  /** Throws where Spark does not allow the sink in this mode. */
  def checkSink(query: WriteToStreamStatement): Unit = ()

  /** Throws where Spark does not allow one of a batch's operators in this mode. */
  def checkOperators(plan: SparkPlan): Unit = ()
}
