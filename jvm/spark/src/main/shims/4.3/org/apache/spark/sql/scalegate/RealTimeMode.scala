package org.apache.spark.sql.scalegate

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.execution.datasources.v2.{
  RealTimeStreamScanExec,
  StreamingDataSourceV2ScanRelation
}
import org.apache.spark.sql.execution.streaming.RealTimeTrigger
import org.apache.spark.sql.execution.streaming.runtime.RealTimeModeAllowlist
import org.apache.spark.sql.execution.{SparkPlan, UnionExec}

/** Spark's Real-Time Mode: tasks that take rows as they come, for as long as a batch of minutes lasts. */
object RealTimeMode {

  /** Whether this release's operators give rows before their inputs end. */
  val isKnown: Boolean = true

  /** Whether a query that is about to start asks for it. */
  def isAsked(query: WriteToStreamStatement): Boolean =
    query.trigger.isInstanceOf[RealTimeTrigger]

  /** Whether a batch's plan reads its streams in it. */
  def isIn(plan: LogicalPlan): Boolean = plan.exists {
    case s: StreamingDataSourceV2ScanRelation => s.relation.realTimeModeDuration.nonEmpty
    case _ => false
  }

  /** The same of what is executed. */
  def isIn(plan: SparkPlan): Boolean = plan.exists(_.isInstanceOf[RealTimeStreamScanExec])

  /** Throws where Spark does not allow the sink in this mode. */
  def checkSink(query: WriteToStreamStatement): Unit =
    RealTimeModeAllowlist.checkAllowedSink(query.sink, throwException = true)

  /** Throws where Spark does not allow one of a batch's operators in this mode; this package's stand for their inputs.
    */
  def checkOperators(plan: SparkPlan): Unit =
    if (isIn(plan)) {
      val others = plan.transformUp { case own if isOwn(own) => UnionExec(own.children) }
      RealTimeModeAllowlist.checkAllowedPhysicalOperator(others, throwException = true)
    }

  private[this] def isOwn(node: SparkPlan) = {
    val name = node.getClass.getName
    name.startsWith("io.scalegate.") || name.startsWith("org.apache.spark.sql.scalegate.")
  }
}
