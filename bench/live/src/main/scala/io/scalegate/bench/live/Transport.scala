package io.scalegate.bench.live

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.functions.{col, split}
import org.apache.spark.sql.scalegate.bench.Feed
import org.apache.spark.sql.streaming.DataStreamWriter
import org.apache.spark.sql.{DataFrame, ForeachWriter, Row}

/** How the streams come to a query, and its results leave it. */
private trait Transport extends AutoCloseable {

  /** [[LiveEvent]]s of two streams. */
  def streams: Seq[DataFrame]

  /** Gives an event of a stream; a thread for each stream. */
  def add(stream: Int)(event: LiveEvent): Unit

  /** What measures each result that is written. */
  def sink(results: DataFrame): DataStreamWriter[Row]
}

/** Within this JVM. */
final private class InProcess(spark: SparkSession, timed: ForeachWriter[Row])
    extends Transport {
  private[this] val feeds = Seq.fill(2)(Feed(spark))

  override val streams: Seq[DataFrame] = feeds.map(_.toDF())
  override def add(stream: Int)(event: LiveEvent): Unit = feeds(stream).add(event)
  override def sink(results: DataFrame): DataStreamWriter[Row] =
    results.writeStream.foreach(timed)
  override def close(): Unit = ()
}

/** Over topics of a broker. Results have a column `due`. */
final private class OverKafka(spark: SparkSession, broker: String) extends Transport {
  private[this] val topics = new LiveTopics(broker)

  override val streams: Seq[DataFrame] = topics.streams.map { topic =>
    val line = spark.readStream.format("kafka").option("kafka.bootstrap.servers", broker)
      .option("subscribe", topic).option("startingOffsets", "earliest").load()
      .select(split(col("value").cast("string"), ",").as("line"))
    def field(i: Int, kind: String) = col("line")(i).cast(kind)
    line.select(
      field(0, "long").as("ts"),
      field(1, "int").as("k"),
      field(2, "int").as("x"),
      field(3, "float").as("y"),
      field(4, "long").as("due")
    )
  }

  override def add(stream: Int)(event: LiveEvent): Unit = topics.add(stream)(event)

  override def sink(results: DataFrame): DataStreamWriter[Row] =
    results.select(col("due").cast("string").as("value")).writeStream.format("kafka")
      .option("kafka.bootstrap.servers", broker).option("topic", topics.results)
      .option("kafka.linger.ms", LiveTopics.LingerMillis)

  override def close(): Unit = topics.close()
}
