package org.apache.spark.sql.scalegate

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.runtime.{
  MicroBatchExecution,
  StreamingQueryWrapper
}
import org.apache.spark.sql.streaming.StreamingQuery

/** What tests need of Spark that Spark keeps to itself. */
object StreamAccess {

  /** Does something while no batch of the query begins, so that one sees all of it. */
  def betweenBatches(query: StreamingQuery)(action: => Unit): Unit =
    batchesOf(query).withProgressLocked(action)

  /** The plan of the last batch, as it was executed. */
  def lastPlan(query: StreamingQuery): SparkPlan = batchesOf(query).lastExecution.executedPlan

  private[this] def batchesOf(query: StreamingQuery): MicroBatchExecution = query match {
    case wrapper: StreamingQueryWrapper =>
      wrapper.streamingQuery match {
        case batches: MicroBatchExecution => batches
        case other => throw new IllegalArgumentException(s"$other has no batches")
      }
    case other => throw new IllegalArgumentException(s"$other is not this process's own")
  }
}
