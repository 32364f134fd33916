package io.scalegate.bench.live

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.functions.timestamp_millis
import org.apache.spark.sql.scalegate.bench.Feed
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{ForeachWriter, Row}

/** The latency of an aggregate over sliding windows, of one minute each second by 1,000 keys, over two streams that come at
  * a steady rate, in Real-Time Mode. Where windows are given once, it counts from a window's end, when the first tuple
  * behind it was due; where they are given whenever they change, from when the newest tuple of the window was due.
  *
  * Arguments: `final` or `update`, of this package, or `spark`, for Spark's own aggregate, which is one of updates; the
  * events of both streams a second (several, with commas), seconds to warm up and to measure, and the seconds between two
  * commits.
  */
object LiveWindowsMain {
  def main(args: Array[String]): Unit = {
    val (emission, rates) = (args(0), args(1))
    val (warm, seconds, commit) = (args(2).toInt, args(3).toInt, args(4))
    val spark = LiveQueries.session(isRealTime = true)
    spark.conf.set("spark.scalegate.realTime.windows", emission)
    val engine = if (emission == "spark") "Spark" else "scalegate"
    val told = if (emission == "final") "each window once" else "each change"
    for (rate <- rates.split(',').map(_.toInt))
      run(spark, emission == "final", rate, commit) { isAlive =>
        Measured.measure(s"$engine, real time, $told", "windows", rate, warm, seconds, isAlive)
      }
    spark.stop()
  }

  private def run(spark: SparkSession, isFinal: Boolean, rate: Int, commit: String)(
      measure: (() => Boolean) => Unit
  ): Unit = {
    val feeds = Seq("l", "r").map(_ -> Feed(spark)).toMap
    feeds.foreach { case (name, feed) =>
      val events = feed.toDF()
      events.withColumn("ts", timestamp_millis(events("ts"))).withWatermark("ts", "0 seconds")
        .createOrReplaceTempView(name)
    }
    val windows = spark.sql(
      s"SELECT max(due) AS due, window.end AS e, k, count(*) AS n, sum(x) AS x, max(y) AS y " +
        s"FROM (SELECT ts, k % $Keys AS k, x, y, due FROM (TABLE l UNION ALL TABLE r)) " +
        "GROUP BY k, window(ts, '1 minute', '1 second')"
    )
    val sink = if (isFinal) new TimedWindows else new TimedResults
    LiveQueries.run(
      windows,
      sink,
      feeds.values.toSeq,
      rate,
      Trigger.RealTime(s"$commit seconds"),
      "update"
    )(
      measure
    )
  }

  private val Keys = 1000
}

/** Notes when each window is there that has ended. */
final private class TimedWindows extends ForeachWriter[Row] {
  override def open(partition: Long, epoch: Long): Boolean = true
  override def process(row: Row): Unit =
    Measured.result(PacedEvents.nanosAt(row.getTimestamp(1).getTime))
  override def close(error: Throwable): Unit = ()
}
