package io.scalegate.bench.live

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.functions.timestamp_millis
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{DataFrame, ForeachWriter, Row}

/** The latency of a join of two streams that come at a steady rate, as an ordinary query of Spark: in Real-Time Mode or in
  * batches that follow each other. The streams come from this JVM, and a sink of `foreach` takes the time of each result;
  * or both go over Kafka.
  *
  * Arguments:
  *   - `real-time` or `batches`, of this package; `by-hand`, the join by keys with `transformWithState` in Real-Time Mode;
  *     `spark`, that join of Spark's own in batches; `no-join`, both streams' rows in Real-Time Mode without duplicates, for
  *     what Spark itself takes;
  *   - a [[LiveQuery]], or `ordered:` and an algorithm for the bands in the order of time;
  *   - the events of both streams a second (several, with commas);
  *   - seconds to warm up, and to measure;
  *   - the seconds between two commits in Real-Time Mode;
  *   - the address of a broker of Kafka, if events and results are to go over it.
  */
object LiveJoinMain {
  def main(args: Array[String]): Unit = {
    val (mode, name, rates) = (args(0), args(1), args(2))
    val (warm, seconds, commit) = (args(3).toInt, args(4).toInt, args(5))
    val isRealTime = mode != "batches" && mode != "spark"
    val spark = LiveQueries.session(isRealTime)
    spark.conf.set("spark.scalegate.enabled", mode != "spark")
    val algorithm = Option(name.stripPrefix("ordered:")).filter(_ != name)
    val arm = algorithm.map(a => s"scalegate, $mode, $a").getOrElse(Engines(mode)) +
      (if (isRealTime && algorithm.isEmpty) s", commit each $commit s" else "")
    val trigger =
      if (isRealTime) Trigger.RealTime(s"$commit seconds") else Trigger.ProcessingTime(0L)
    for (rate <- rates.split(',').map(_.toInt)) {
      val query = LiveQuery(algorithm.fold(name)(_ => "ordered"), rate)
      val broker = args.lift(6)
      val transport = broker.map(new OverKafka(spark, _))
        .getOrElse(new InProcess(spark, new TimedResults))
      val results = mode match {
        case "by-hand" => ByHand.join(transport.streams.head, transport.streams.last, query)
        case "no-join" =>
          transport.streams.map(_.select("due")).reduce(_.union(_)).dropDuplicates("due")
        case _ => join(spark, transport.streams, query, algorithm)
      }
      val outputMode = if (isRealTime) "update" else "append"
      LiveQueries.run(results, transport, rate, query.before, trigger, outputMode)(
        Measured.measure(arm, query, broker.nonEmpty, rate, warm, seconds, _)
      )
    }
    spark.stop()
  }

  /** Stands for when a row was due that came with the watermark. */
  private[live] val Unmatched = -1L

  private val Engines = Map(
    "real-time" -> "scalegate, real time",
    "batches" -> "scalegate, batches",
    "by-hand" -> "transformWithState, real time",
    "spark" -> "Spark, batches",
    "no-join" -> "Spark without a join, real time"
  )

  private def join(
      spark: SparkSession,
      streams: Seq[DataFrame],
      query: LiveQuery,
      algorithm: Option[String]
  ): DataFrame = {
    // Rows that have an order, or that later ones decide, wait for the watermark, and so for its delay.
    val delay =
      if (algorithm.isEmpty && query.name != "asof") "1 second" else "1 millisecond"
    streams.zip(Seq("l", "r")).foreach { case (events, name) =>
      events.withColumn("ts", timestamp_millis(events("ts"))).withWatermark("ts", delay)
        .createOrReplaceTempView(name)
    }
    val within = s"INTERVAL '${query.windowMillis / 1000.0}' SECOND"
    val inTime = s"r.ts BETWEEN l.ts - $within AND l.ts + $within"
    val near = s"abs(l.x - r.x) <= ${query.band} AND abs(l.y - r.y) <= ${query.band}"
    val on =
      if (query.name == "keyed") s"l.k = r.k AND $inTime"
      else if (query.name == "asof") s"l.k = r.k AND asof(l.ts, r.ts, 'backward', $within)"
      else s"$near AND $inTime"
    val hint = algorithm.fold("")(a => s"/*+ WINDOW_JOIN('$a', 'ordered') */ ")
    val kind = if (query.isOuter) "LEFT JOIN" else "JOIN"
    spark.sql(
      s"SELECT ${hint}if(r.due IS NULL, $Unmatched, greatest(l.due, r.due)) AS due, l.x, r.x AS other " +
        s"FROM l $kind r ON $on"
    )
  }
}

/** Notes when each result is there, but for unmatched rows. */
final private class TimedResults extends ForeachWriter[Row] {
  override def open(partition: Long, epoch: Long): Boolean = true
  override def process(row: Row): Unit =
    if (row.getLong(0) != LiveJoinMain.Unmatched) Measured.result(row.getLong(0))
  override def close(error: Throwable): Unit = ()
}
