package io.scalegate.spark

import java.nio.file.{Files, Path}
import java.sql.Timestamp
import java.util.concurrent.ConcurrentSkipListMap

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException}
import org.apache.spark.sql.{DataFrame, Dataset, Encoders, Row}

/** An event of a test's stream; `at` is in milliseconds. */
final case class Event(ts: Timestamp, k: Option[Int], x: Option[Int], id: Long)

object Event {
  def apply(at: Long, k: Int, x: Int, id: Long): Event =
    Event(new Timestamp(at), Some(k), Some(x), id)
}

/** Runs queries on two in-memory streams, l and r, step by step, in the style of Spark's own StreamTest. */
abstract class StreamingJoinSuite extends SparkJoinSuite {
  override protected def settings: Map[String, String] = Map(
    "spark.sql.shuffle.partitions" -> "2",
    "spark.sql.streaming.minBatchesToRetain" -> "2"
  )

  /** A query over the views l and r. */
  protected class Running(
      query: String,
      delay: String = "0 seconds",
      mode: String = "append",
      watermarks: Boolean = true,
      val checkpoint: Path = Files.createTempDirectory("scalegate-stream")
  ) {
    private val session = spark.asInstanceOf[ClassicSession]
    private var left = MemoryStream(Encoders.product[Event], session)
    private var right = MemoryStream(Encoders.product[Event], session)
    private val written = new ConcurrentSkipListMap[Long, Seq[String]]
    private var seen = 0
    @volatile private var failing = false
    private var running: StreamingQuery = _

    def result: DataFrame = {
      for ((name, rows) <- Seq("l" -> left.toDF(), "r" -> right.toDF()))
        (if (watermarks) rows.withWatermark("ts", delay) else rows).createOrReplaceTempView(name)
      spark.sql(query)
    }

    def start(): this.type = {
      running = result.writeStream
        .outputMode(mode)
        .option("checkpointLocation", checkpoint.toString)
        .foreachBatch { (rows: Dataset[Row], id: Long) =>
          val texts = rows.collect().map(_.toString).toSeq
          if (failing) throw new IllegalStateException("the output fails, as asked")
          written.put(id, texts)
          ()
        }
        .start()
      this
    }

    def stop(): this.type = {
      if (running != null) running.stop()
      this
    }

    /** Reads on from the other's streams. */
    def takes(other: Running): this.type = {
      left = other.left
      right = other.right
      this
    }

    /** The next batch does its work, and then fails. */
    def failNext(): Unit = failing = true

    /** Adds rows to both streams and waits until all is done that can be. */
    def add(l: Seq[Event], r: Seq[Event]): this.type = {
      left.addData(l)
      right.addData(r)
      running.processAllAvailable()
      this
    }

    /** The same, for a query that is to fail. */
    def fails(l: Seq[Event], r: Seq[Event]): Throwable =
      try {
        add(l, r)
        throw new AssertionError("the query did not fail")
      } catch { case e: StreamingQueryException => e }
      finally {
        failing = false
        stop()
      }

    /** What was written since this was asked last. */
    def fresh(): Seq[String] = {
      val all = written.values.asScala.flatten.toSeq
      val next = all.drop(seen)
      seen = all.length
      next.sorted
    }

    def all: Seq[String] = written.values.asScala.flatten.toSeq.sorted

    /** What Spark calls the query's stateful operator. */
    def operator: String = running.lastProgress.stateOperators.head.operatorName

    /** The plan of the last batch, as the query shows it. */
    def explained: String = {
      val text = new java.io.ByteArrayOutputStream
      Console.withOut(text)(running.explain())
      text.toString
    }

    def metric(name: String): Long =
      running.lastProgress.stateOperators.head.customMetrics.get(name)

    /** Of all batches since the query was started last. */
    def total(name: String): Long =
      running.recentProgress.flatMap(_.stateOperators).map(_.customMetrics.get(name).longValue).sum

    /** Rows that were too late, in all. */
    def dropped: Long =
      running.recentProgress.flatMap(_.stateOperators).map(_.numRowsDroppedByWatermark).sum
  }

  /** The same query on the same rows at rest, by plain Spark. */
  protected def batchResult(query: String, l: Seq[Event], r: Seq[Event]): Seq[String] = {
    spark.createDataset(l)(Encoders.product[Event]).createOrReplaceTempView("l")
    spark.createDataset(r)(Encoders.product[Event]).createOrReplaceTempView("r")
    plainSpark(rowsOf(spark.sql(query)))
  }
}

final class StreamingJoinTypesSuite extends StreamingJoinSuite {
  private val within = "r.ts BETWEEN l.ts - INTERVAL 2 SECONDS AND l.ts + INTERVAL 3 SECONDS"
  private val conditions = Seq(
    "a band" -> s"$within AND abs(l.x - r.x) <= 2",
    "a key" -> s"l.k = r.k AND $within",
    "a key and a residual" -> s"l.k = r.k AND $within AND l.x < r.x",
    "time alone" -> s"$within AND (l.x + r.x) % 3 = 0"
  )
  private val types =
    Seq("INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI")

  /** Events whose times rise but for a second's disorder, and a last one that moves the watermark past them. */
  private def events(seed: Int, count: Int): Seq[Event] = {
    val random = new scala.util.Random(seed)
    Seq.tabulate(count) { i =>
      val value = if (random.nextInt(10) == 0) None else Some(random.nextInt(12))
      Event(
        new Timestamp(1000L + i * 150L + random.nextInt(1000)),
        Some(random.nextInt(3)),
        value,
        i.toLong
      )
    }
  }

  private val sentinel = Event(10000000L, -1, -100, -1L)

  for ((name, condition) <- conditions; joinType <- types)
    test(
      s"$joinType join by $name gives what the batch join gives, however the rows are cut into batches"
    ) {
      val columns = if (joinType.contains("S") || joinType.contains("ANTI")) "l.*" else "*"
      val query = s"SELECT $columns FROM l $joinType JOIN r ON $condition"
      val (l, r) = (events(1, 120), events(2, 100))
      val expected = batchResult(query, l, r).filterNot(_.contains("-100"))
      for (cuts <- Seq(1, 5)) {
        val run = new Running(query, delay = "1 second").start()
        try {
          val size = (120 + cuts - 1) / cuts
          for (i <- 0 until cuts)
            run.add(l.slice(i * size, (i + 1) * size), r.slice(i * size, (i + 1) * size))
          run.add(Seq(sentinel), Seq(sentinel))
          assert(run.operator == "windowJoin")
          assert(run.all.filterNot(_.contains("-100")) == expected, s"in $cuts batches")
        } finally run.stop()
      }
    }
}
