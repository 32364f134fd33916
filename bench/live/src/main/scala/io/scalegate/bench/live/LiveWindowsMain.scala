package io.scalegate.bench.live

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.functions.timestamp_millis
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{ForeachWriter, Row}

/** The latency of an aggregate over sliding windows, of one minute each second by 1,000 keys, over two streams that come at
  * a steady rate, in Real-Time Mode. Where windows are given once, it counts from a window's end, when the first tuple
  * behind it was due; where they are given whenever they change, from when the newest tuple of the window was due.
  *
  * Arguments: `final` or `update`, of this package, `design:` and a design of the papers, whose windows are final, or
  * `spark`, for Spark's own aggregate, which is one of updates; the events of both streams a second (several, with commas), seconds to warm up and to measure, and the seconds between two
  * commits.
  */
object LiveWindowsMain {
  def main(args: Array[String]): Unit = {
    val (asked, rates) = (args(0), args(1))
    val (emission, design) = asked match {
      case s"design:$name" => ("final", Some(name))
      case other => (other, None)
    }
    val (warm, seconds, commit) = (args(2).toInt, args(3).toInt, args(4))
    val spark = LiveQueries.session(isRealTime = true)
    spark.conf.set("spark.scalegate.realTime.windows", emission)
    val engine = if (emission == "spark") "Spark" else "scalegate"
    val told = if (emission == "final") "each window once" else "each change"
    val arm = s"$engine, real time, $told${design.fold("")(" by " + _)}"
    for (rate <- rates.split(',').map(_.toInt))
      run(spark, emission == "final", design, rate, commit) { isAlive =>
        Measured.measure(arm, LiveQuery("windows", rate), false, rate, warm, seconds, isAlive)
      }
    spark.stop()
  }

  private def run(
      spark: SparkSession,
      isFinal: Boolean,
      design: Option[String],
      rate: Int,
      commit: String
  )(measure: (() => Boolean) => Unit): Unit = {
    val transport = new InProcess(spark, if (isFinal) new TimedWindows else new TimedResults)
    transport.streams.zip(Seq("l", "r")).foreach { case (events, name) =>
      events.withColumn("ts", timestamp_millis(events("ts"))).withWatermark("ts", "0 seconds")
        .createOrReplaceTempView(name)
    }
    val hint = design.fold("")(name => s"/*+ WINDOW_DESIGN('$name') */")
    val windows = spark.sql(
      s"SELECT $hint max(due) AS due, window.end AS e, k, count(*) AS n, sum(x) AS x, max(y) AS y " +
        s"FROM (SELECT ts, k % $Keys AS k, x, y, due FROM (TABLE l UNION ALL TABLE r)) " +
        "GROUP BY k, window(ts, '1 minute', '1 second')"
    )
    val trigger = Trigger.RealTime(s"$commit seconds")
    LiveQueries.run(windows, transport, rate, 0L, trigger, "update")(measure)
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
