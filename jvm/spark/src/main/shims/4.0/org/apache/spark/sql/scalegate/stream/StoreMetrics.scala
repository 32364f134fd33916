package org.apache.spark.sql.scalegate.stream

import org.apache.spark.sql.execution.streaming.state.StateStoreMetrics
import org.apache.spark.sql.scalegate.SparkStreams._

/** What a task tells of its state store, but for the store's rows and memory. */
trait StoreMetrics extends StateStoreWriter {
  def stateStoreNames: Seq[String]

  protected def setMetricsOf(store: StateStoreMetrics): Unit = {
    for ((metric, value) <- store.customMetrics) longMetric(metric.name) += value
  }
}
