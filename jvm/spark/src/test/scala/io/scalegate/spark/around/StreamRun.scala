package io.scalegate.spark.around

import java.nio.file.Path
import java.sql.Timestamp
import java.time.Instant
import java.util.concurrent.ConcurrentSkipListMap
import java.util.concurrent.atomic.AtomicInteger

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.scalegate.{StreamAccess, TestStreams}
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.{DataFrame, Dataset, Encoders, Row, SparkSession}

/** What a query gave.
  *
  * @param rows
  *   in the order in which they were written
  * @param operators
  *   what its stateful operators are called
  * @param isEnded
  *   whether the watermark, if there is one, has passed all rows
  */
final case class StreamResult(rows: Seq[Row], operators: Set[String], isEnded: Boolean)

/** Writes a query down over views of its inputs, and drops the views in the end. */
final private class Views(spark: SparkSession, val isPlain: Boolean, streaming: Boolean)
    extends Rendering
    with AutoCloseable {
  private[this] val made = mutable.ArrayBuffer.empty[String]

  def fresh(prefix: String): String = s"${prefix}_${Views.names.incrementAndGet()}"

  def view(name: String, rows: DataFrame): Unit = {
    rows.createOrReplaceTempView(name)
    made += name
  }

  def keep(how: String, sql: String): String = {
    val rows = spark.sql(sql)
    val name = fresh("kept")
    view(
      name,
      how match {
        case "without duplicates" => rows.dropDuplicates()
        case "without duplicates by a, v" => rows.dropDuplicates("a", "v")
        case "without duplicates within the watermark" if streaming =>
          rows.dropDuplicatesWithinWatermark()
        case "without duplicates within the watermark" => rows.dropDuplicates()
        case _ => rows
      }
    )
    name
  }

  def close(): Unit = made.foreach(spark.catalog.dropTempView)
}

private object Views {
  private val names = new AtomicInteger
}

/** Runs a case on streams in memory, from its first batch to the end of its streams.
  *
  * @param isPlain
  *   whether it is written down for plain Spark
  * @param directory
  *   empty: for the checkpoint, and for what is written
  */
final private class StreamRun(
    spark: SparkSession,
    tried: StreamCase,
    isPlain: Boolean,
    directory: Path
) {
  private[this] val streams = StreamCase.Streams
    .map(_ -> TestStreams.memoryStream(
      Encoders.product[StreamRow],
      spark.asInstanceOf[ClassicSession]
    )).toMap
  private[this] val written = new ConcurrentSkipListMap[Long, Seq[Row]]
  private[this] val operators = mutable.Set.empty[String]
  private[this] var watermark = Option.empty[Instant]
  private[this] val output = directory.resolve("output").toString
  private[this] val table = s"result_${StreamRun.names.incrementAndGet()}"

  def result(): StreamResult = {
    var running = start()
    try {
      for ((batch, i) <- (tried.arrivals ++ StreamRun.Ends).zipWithIndex) {
        if (tried.restarts(i)) {
          end(running)
          running = start()
        }
        add(running, batch)
      }
      end(running)
      StreamResult(all, operators.toSet, !watermark.exists(_.isBefore(StreamRun.End)))
    } finally {
      running.stop()
      spark.catalog.dropTempView(table)
      ()
    }
  }

  private[this] def add(running: StreamingQuery, batch: Arrival): Unit = {
    StreamAccess.betweenBatches(running) {
      streams.foreach { case (name, stream) => stream.addData(batch.rowsOf(name)) }
    }
    running.processAllAvailable()
  }

  private[this] def end(running: StreamingQuery): Unit = {
    watermark = running.recentProgress.lastOption.flatMap(p =>
      Option(p.eventTime.get("watermark")).map(Instant.parse)
    )
    running.recentProgress.flatMap(_.stateOperators).foreach(operators += _.operatorName)
    running.stop()
  }

  private[this] def start(): StreamingQuery = {
    val views = new Views(spark, isPlain, streaming = true)
    try {
      streams.foreach { case (name, stream) => views.view(name, stream.toDF()) }
      val rows = spark.sql(tried.query.sql(views))
      val writer = tried.limit.fold(rows)(rows.limit).writeStream
        .outputMode(tried.mode)
        .option("checkpointLocation", directory.resolve("checkpoint").toString)
      (tried.sink match {
        case "file" => writer.format("parquet").option("path", output)
        case "memory" => writer.format("memory").queryName(table)
        case how =>
          writer.foreachBatch { (batch: Dataset[Row], id: Long) =>
            written.put(id, taken(how, batch))
            ()
          }
      }).start()
    } finally views.close()
  }

  private[this] def taken(how: String, batch: Dataset[Row]): Seq[Row] = {
    val rows = batch.collect().toSeq
    how match {
      case "collected twice" =>
        sameAs(rows.map(_.toString), batch.collect().map(_.toString).toSeq)
      case "queried" =>
        val near = batch.as("x").join(batch.as("y"), expr("x.a - y.a BETWEEN -1 AND 1"))
        val numbers = rows.filterNot(_.isNullAt(0)).map(_.getLong(0))
        val pairs = for (x <- numbers; y <- numbers if (x - y).abs <= 1) yield s"$x, $y"
        sameAs(pairs, near.collect().map(r => s"${r.get(0)}, ${r.get(4)}").toSeq)
      case _ =>
    }
    rows
  }

  private[this] def sameAs(rows: Seq[String], again: Seq[String]): Unit =
    if (rows.sorted != again.sorted)
      throw new AssertionError(s"a batch of $rows gives ${again.sorted} when it is read again")

  private[this] def all: Seq[Row] = tried.sink match {
    case "file" => spark.read.schema(StreamRun.Schema).parquet(output).collect().toSeq
    case "memory" => spark.table(table).collect().toSeq
    case _ if tried.mode == "complete" =>
      Option(written.lastEntry).fold(Seq.empty[Row])(_.getValue)
    case _ => written.values.asScala.flatten.toSeq
  }
}

private object StreamRun {
  private val names = new AtomicInteger

  /** Less than the longest delay before the rows that end a case, and long after all others. */
  private val End = Instant.ofEpochMilli(StreamQueryGenerator.EndMillis).minusSeconds(3600)

  val Schema: String = "a BIGINT, b BIGINT, t TIMESTAMP, v STRING"

  /** Each pushes the watermark far ahead; rows of one operator may have their turn in the next a batch later. Queries
    * leave these rows out behind the watermark; filters that Spark moves before it leave some of them, or all.
    */
  private val Ends: Seq[Arrival] = Seq.tabulate(4) { i =>
    // Some queries take a second off.
    val at = new Timestamp(StreamQueryGenerator.EndMillis + 60000L + 1000000L * i)
    val rows = Seq.tabulate(14)(n =>
      StreamRow(Some(n.toLong), Some(n * 5 % 8L), at, Some(s"n${n % 4}"))
    ) :+ StreamRow(None, None, at, Some("end"))
    Arrival(StreamCase.Streams.map(_ -> rows).toMap)
  }
}
