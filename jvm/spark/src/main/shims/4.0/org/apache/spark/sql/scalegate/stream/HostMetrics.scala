package org.apache.spark.sql.scalegate.stream

import org.apache.spark.sql.scalegate.SparkStreams._

/** Of a [[ReadyExec]] the metrics that are those of its host, and that Spark's releases have in other forms. */
trait HostMetrics extends StateStoreWriter {
  def host: HostedExec
}
