package org.apache.spark.sql.scalegate.stream

import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state.StateStoreInstanceMetric
import org.apache.spark.sql.scalegate.SparkStreams._

/** Of a [[ReadyExec]] the metrics that are those of its host, and that Spark's releases have in other forms. */
trait HostMetrics extends StateStoreWriter {
  def host: HostedExec

  override lazy val instanceMetrics: Map[StateStoreInstanceMetric, SQLMetric] =
    host.instanceMetrics
}
