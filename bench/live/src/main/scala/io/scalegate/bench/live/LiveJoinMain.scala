package io.scalegate.bench.live

import java.nio.file.Files

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.functions.timestamp_millis
import org.apache.spark.sql.scalegate.bench.Feed
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{ForeachWriter, Row}

/** The latency of a join of two streams that come at a steady rate, as an ordinary query of Spark: in Real-Time Mode or in
  * batches that follow each other. The streams come from this JVM, and a sink of `foreach` takes the time of each result.
  *
  * Arguments: `real-time` or `batches`, `band` or `keyed`, the events of both streams a second (several, with commas),
  * seconds to warm up and to measure, and the seconds between two commits in Real-Time Mode.
  */
object LiveJoinMain {
  def main(args: Array[String]): Unit = {
    val (mode, query, rates) = (args(0), args(1), args(2))
    val (warm, seconds, commit) = (args(3), args(4), args(5))
    val isRealTime = mode == "real-time"
    val spark = session(isRealTime)
    val arm = if (isRealTime) s"scalegate, real time, commit each $commit s" else "scalegate, batches"
    for (rate <- rates.split(',').map(_.toInt)) {
      val trigger =
        if (isRealTime) Trigger.RealTime(s"$commit seconds") else Trigger.ProcessingTime(0L)
      run(spark, query, rate, trigger, if (isRealTime) "update" else "append") { isAlive =>
        Measured.measure(arm, query, rate, warm.toInt, seconds.toInt, isAlive)
      }
    }
    spark.stop()
  }

  private def session(isRealTime: Boolean): SparkSession = {
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

  private def run(
      spark: SparkSession,
      query: String,
      rate: Int,
      trigger: Trigger,
      mode: String
  )(measure: (() => Boolean) => Unit): Unit = {
    val feeds = Seq("l", "r").map(_ -> Feed(spark)).toMap
    feeds.foreach { case (name, feed) =>
      val events = feed.toDF()
      events.withColumn("ts", timestamp_millis(events("ts"))).withWatermark("ts", "1 second")
        .createOrReplaceTempView(name)
    }
    val within = s"INTERVAL ${PacedEvents.WindowSeconds} SECONDS"
    val near =
      if (query == "keyed") "l.k = r.k"
      else s"abs(l.x - r.x) <= ${PacedEvents.Band} AND abs(l.y - r.y) <= ${PacedEvents.Band}"
    val running = spark.sql(
      s"SELECT greatest(l.due, r.due) AS due, l.x, r.x AS other FROM l JOIN r ON $near AND " +
        s"r.ts BETWEEN l.ts - $within AND l.ts + $within"
    ).writeStream.foreach(new TimedResults).outputMode(mode).trigger(trigger)
      .option("checkpointLocation", Files.createTempDirectory("live").toString)
      .start()
    Measured.reset()
    @volatile var isOn = true
    feeds.values.zipWithIndex.foreach { case (feed, i) =>
      val feeding = new Thread(() => new PacedEvents(i, rate / 2).run(() => isOn)(feed.add))
      feeding.setDaemon(true)
      feeding.start()
    }
    measure(() => running.isActive)
    isOn = false
    running.stop()
  }
}

/** Notes when each result is there. */
final private class TimedResults extends ForeachWriter[Row] {
  override def open(partition: Long, epoch: Long): Boolean = true
  override def process(row: Row): Unit = Measured.result(row.getLong(0))
  override def close(error: Throwable): Unit = ()
}
