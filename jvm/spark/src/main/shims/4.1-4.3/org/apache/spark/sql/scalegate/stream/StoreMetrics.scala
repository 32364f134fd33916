package org.apache.spark.sql.scalegate.stream

import org.apache.spark.sql.execution.streaming.state.StateStoreMetrics
import org.apache.spark.sql.scalegate.SparkStreams._

/** What a task tells of its state store, but for the store's rows and memory. */
trait StoreMetrics extends StateStoreWriter {
  protected def setMetricsOf(store: StateStoreMetrics): Unit = {
    setStoreCustomMetrics(store.customMetrics)
    setStoreInstanceMetrics(store.instanceMetrics)
  }
}
