package io.scalegate.bench.live

import java.nio.file.Files

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.streaming.Trigger

/** What the programs of the live bench have in common. */
private object LiveQueries {
  def session(isRealTime: Boolean): SparkSession = {
    val builder = SparkSession.builder().master("local[12]")
      .config("spark.ui.enabled", "false")
      .config("spark.log.level", "ERROR")
      .config("spark.driver.host", "127.0.0.1")
      .config("spark.driver.bindAddress", "127.0.0.1")
      .config("spark.sql.extensions", "io.scalegate.spark.ScaleGateExtensions")
      .config("spark.sql.shuffle.partitions", "2")
    RealTimeSettings.filter(_ => isRealTime).foreach { case (key, value) =>
      builder.config(key, value)
    }
    builder.getOrCreate()
  }

  /** What `scalegate.configure(builder, real_time=True)` sets, and batches as short as this bench has them. */
  private val RealTimeSettings = Map(
    "spark.sql.streaming.realTimeMode.allowlistCheck" -> "false",
    "spark.sql.streaming.realTimeMode.minBatchDuration" -> "1s",
    "spark.shuffle.streaming.networkBufferMaxWaitTimeMs" -> "1",
    "spark.sql.streaming.stateStore.providerClass" ->
      "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    "spark.sql.streaming.stateStore.checkpointFormatVersion" -> "2"
  )

  /** Runs a query while its streams are fed, and measures it.
    *
    * @param rate
    *   events of both streams a second
    * @param before
    *   events of each stream that come before
    */
  def run(
      results: DataFrame,
      transport: Transport,
      rate: Int,
      before: Long,
      trigger: Trigger,
      mode: String
  )(measure: (() => Boolean) => Unit): Unit = {
    val running = transport.sink(results).outputMode(mode).trigger(trigger)
      .option("checkpointLocation", Files.createTempDirectory("live").toString)
      .start()
    Measured.reset()
    @volatile var isOn = true
    transport.streams.indices.foreach { i =>
      new PacedEvents(i, rate / transport.streams.size, before)
        .start(() => isOn)(transport.add(i))
    }
    try measure(() => running.isActive)
    finally {
      isOn = false
      running.stop()
      transport.close()
    }
  }
}
