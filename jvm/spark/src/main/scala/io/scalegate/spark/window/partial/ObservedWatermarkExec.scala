package io.scalegate.spark.window.partial

import java.util.UUID

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.scalegate.SparkStreams.EventTimeWatermarkExec
import org.apache.spark.unsafe.types.CalendarInterval

/** Spark's node of a watermark, for rows whose times are observed below it: Spark reads them here. It lies above the
  * stage that reads the rows and makes partial results of them, which Spark's own would part in two.
  */
final class ObservedWatermarkExec(
    nodeId: UUID,
    eventTime: Attribute,
    delay: CalendarInterval,
    child: SparkPlan,
    times: WatermarkTimes
) extends EventTimeWatermarkExec(nodeId, eventTime, delay, child) {
  override def nodeName: String = "EventTimeWatermark"
  override val output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning

  override protected def otherCopyArgs: Seq[AnyRef] = times :: Nil

  /** Of a column below the child. */
  @transient override lazy val references: AttributeSet = AttributeSet.empty

  override protected def doExecute(): RDD[InternalRow] = {
    times.offer(eventTimeStats)
    child.execute()
  }

  override protected def withNewChildInternal(newChild: SparkPlan): EventTimeWatermarkExec =
    new ObservedWatermarkExec(nodeId, eventTime, delay, newChild, times)
}
