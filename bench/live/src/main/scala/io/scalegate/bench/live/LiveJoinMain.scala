package io.scalegate.bench.live

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.functions.timestamp_millis
import org.apache.spark.sql.scalegate.bench.Feed
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{ForeachWriter, Row}

/** The latency of a join of two streams that come at a steady rate, as an ordinary query of Spark: in Real-Time Mode or in
  * batches that follow each other. The streams come from this JVM, and a sink of `foreach` takes the time of each result.
  *
  * Arguments: `real-time` or `batches`; `band`, `keyed` or `asof`, or `ordered:` and an algorithm for the bands in the order of time;
  * the events of both streams a second (several, with commas), seconds to warm up and to measure, and the seconds between
  * two commits in Real-Time Mode.
  */
object LiveJoinMain {
  def main(args: Array[String]): Unit = {
    val (mode, query, rates) = (args(0), args(1), args(2))
    val (warm, seconds, commit) = (args(3), args(4), args(5))
    val isRealTime = mode == "real-time"
    val spark = LiveQueries.session(isRealTime)
    val algorithm = Option(query.stripPrefix("ordered:")).filter(_ != query)
    val arm = algorithm.map(a => s"scalegate, $mode, $a").getOrElse(
      if (isRealTime) s"scalegate, real time, commit each $commit s" else "scalegate, batches"
    )
    for (rate <- rates.split(',').map(_.toInt)) {
      val trigger =
        if (isRealTime) Trigger.RealTime(s"$commit seconds") else Trigger.ProcessingTime(0L)
      run(spark, query, algorithm, rate, trigger, if (isRealTime) "update" else "append") {
        isAlive =>
          Measured.measure(
            arm,
            query.takeWhile(_ != ':'),
            rate,
            warm.toInt,
            seconds.toInt,
            isAlive
          )
      }
    }
    spark.stop()
  }

  private def run(
      spark: SparkSession,
      query: String,
      algorithm: Option[String],
      rate: Int,
      trigger: Trigger,
      mode: String
  )(measure: (() => Boolean) => Unit): Unit = {
    val feeds = Seq("l", "r").map(_ -> Feed(spark)).toMap
    feeds.foreach { case (name, feed) =>
      val events = feed.toDF()
      // Rows that have an order, or that later ones decide, wait for the watermark, and so for its delay.
      val delay = if (algorithm.isEmpty && query != "asof") "1 second" else "1 millisecond"
      events.withColumn("ts", timestamp_millis(events("ts"))).withWatermark("ts", delay)
        .createOrReplaceTempView(name)
    }
    val within = s"INTERVAL ${PacedEvents.WindowSeconds} SECONDS"
    val inTime = s"r.ts BETWEEN l.ts - $within AND l.ts + $within"
    val near =
      s"abs(l.x - r.x) <= ${PacedEvents.Band} AND abs(l.y - r.y) <= ${PacedEvents.Band}"
    val on =
      if (query == "keyed") s"l.k = r.k AND $inTime"
      else if (query == "asof") s"l.k = r.k AND asof(l.ts, r.ts, 'backward', $within)"
      else s"$near AND $inTime"
    val hint = algorithm.fold("")(a => s"/*+ WINDOW_JOIN('$a', 'ordered') */ ")
    val joined = spark.sql(
      s"SELECT ${hint}greatest(l.due, r.due) AS due, l.x, r.x AS other FROM l JOIN r ON $on"
    )
    LiveQueries.run(joined, new TimedResults, feeds.values.toSeq, rate, trigger, mode)(measure)
  }
}

/** Notes when each result is there. */
final private class TimedResults extends ForeachWriter[Row] {
  override def open(partition: Long, epoch: Long): Boolean = true
  override def process(row: Row): Unit = Measured.result(row.getLong(0))
  override def close(error: Throwable): Unit = ()
}
