package io.scalegate.spark.join.stream.realtime

import java.nio.file.{Files, Path}
import java.sql.Timestamp
import java.util.concurrent.{ConcurrentHashMap, ConcurrentLinkedQueue}

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.execution.streaming.sources.LowLatencyMemoryStream
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress, Trigger}
import org.apache.spark.sql.{DataFrame, Encoder, Encoders, ForeachWriter, Row}

import io.scalegate.BoundedWait
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.join.stream.Event
import io.scalegate.spark.join.stream.hotkeys.{HotKeys, Replica}
import io.scalegate.stream.{Side, Sides}

/** Queries under `trigger(realTime=…)` over two streams of two partitions each. */
abstract class RealTimeSuite extends SparkJoinSuite {
  override protected def settings: Map[String, String] = Map(
    // What a query needs, and none to spare.
    "spark.master" -> "local[6]",
    "spark.sql.shuffle.partitions" -> "2",
    "spark.executor.heartbeatInterval" -> "200ms",
    "spark.sql.streaming.realTimeMode.allowlistCheck" -> "false",
    "spark.sql.streaming.realTimeMode.minBatchDuration" -> "1s",
    "spark.shuffle.streaming.networkBufferMaxWaitTimeMs" -> "1",
    "spark.sql.streaming.stateStore.providerClass" ->
      "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    "spark.sql.streaming.stateStore.checkpointFormatVersion" -> "2"
  )

  /** A query over the streams l and r, each of two partitions.
    *
    * @param trigger
    *   how long a batch lasts
    */
  protected class Running(query: String, trigger: String = "60 seconds") {
    implicit private[this] val encoder: Encoder[Event] = Encoders.product[Event]
    private[this] val session = spark.asInstanceOf[ClassicSession]
    val checkpoint: Path = newDirectory()
    val streams: Sides[LowLatencyMemoryStream[Event]] =
      Sides.each(_ => LowLatencyMemoryStream[Event](session, Partitions))
    val collected = new Collected(newDirectory().toString)
    private[this] var running: StreamingQuery = _

    private[this] def result: DataFrame = {
      for ((name, rows) <- Seq("l" -> streams.left.toDF(), "r" -> streams.right.toDF()))
        rows.withWatermark("ts", "2 seconds").createOrReplaceTempView(name)
      spark.sql(query)
    }

    def start(): this.type = start(Trigger.RealTime(trigger), "update")

    /** Goes on in batches, until all that has come was joined. */
    def runInBatches(): Unit = {
      start(Trigger.ProcessingTime(0), "append")
      running.processAllAvailable()
      running.stop()
    }

    private[this] def start(by: Trigger, mode: String): this.type = {
      running = result.writeStream
        .foreach(collected)
        .outputMode(mode)
        .option("checkpointLocation", checkpoint.toString)
        .trigger(by)
        .start()
      this
    }

    def progress: Option[StreamingQueryProgress] = running.recentProgress.lastOption
    def explained: String = {
      val shown = new java.io.ByteArrayOutputStream
      Console.withOut(shown)(running.explain())
      shown.toString
    }
    def run: String = running.runId.toString
    def failure: Option[String] = running.exception.map(_.toString)

    def stop(): Unit = if (running != null) running.stop()

    /** As if a batch had found a key whose rows one task cannot join. */
    def shareKey(): Unit = {
      val directory = Files.createDirectories(checkpoint.resolve("state/0/_scalegate/splits"))
      Files.writeString(
        directory.resolve("0"),
        HotKeys.text(HotKeys(
          Some(Side.R),
          Map(1 -> Vector(Replica(0, Replica.Serving)))
        ))
      )
      ()
    }

    def add(side: Side, partition: Int, events: Event*): Unit = {
      streams(side).addData(partition, events)
      ()
    }

    /** Waits until these rows were written, and gives all that were. */
    def rows(expected: Seq[String]): Seq[String] = {
      BoundedWait.holds {
        running.exception.foreach(throw _)
        expected.toSet.subsetOf(collected.rows.toSet)
      }
      collected.rows.distinct.sorted
    }
  }

  protected def at(seconds: Double, id: Long, k: Int = 1, x: Int = 5): Event =
    Event((seconds * 1000).toLong, k, x, id)

  protected def withRunning(
      query: String,
      trigger: String = "60 seconds"
  )(body: Running => Unit) = {
    val q = new Running(query, trigger).start()
    try body(q)
    finally q.stop()
  }

  protected def eventually(what: => Boolean): Unit = {
    assert(BoundedWait.holds(what))
    ()
  }

  /** Until a batch that has read what was added so far has been committed. */
  protected def nextBatch(q: Running): Unit = {
    val last = q.progress.fold(-1L)(_.batchId)
    eventually(q.progress.exists(_.batchId >= last + 2))
  }

  private val ids = Iterator.from(1).map(_.toLong)

  /** Out of order by less than the watermark's delay. */
  protected def randomEvents(random: Random): Vector[Event] =
    randomEvents(random, random.nextInt(20))

  protected def randomEvents(random: Random, start: Int): Vector[Event] =
    Vector.tabulate(60)(n => start + n * 0.4 + random.nextDouble() * 1.8).map { s =>
      val k = if (random.nextInt(10) == 0) None else Some(random.nextInt(4))
      val x = if (random.nextInt(15) == 0) None else Some(random.nextInt(12))
      Event(new Timestamp((s * 1000).toLong), k, x, ids.next())
    }

  protected def plainRows(query: String, parts: Sides[Vector[Vector[Event]]]): Seq[String] = {
    implicit val encoder: Encoder[Event] = Encoders.product[Event]
    for ((name, side) <- Seq("l" -> Side.R, "r" -> Side.S))
      spark.createDataset(parts(side).flatten).createOrReplaceTempView(name)
    def rows = spark.sql(query).collect().map(_.toString).toSeq.sorted
    if (Seq("within_rows(", "asof(", "nearest(").exists(query.contains)) rows
    else plainSpark(rows)
  }

  protected val Partitions = 2
}

/** Keeps what a query of this JVM writes.
  *
  * @param name
  *   of the query
  */
class Collected(name: String) extends ForeachWriter[Row] {
  def open(partition: Long, epoch: Long): Boolean = true
  def process(row: Row): Unit = {
    written.add(row.toString)
    ()
  }
  def close(error: Throwable): Unit = ()

  def rows: Seq[String] = written.asScala.toSeq
  private[this] def written =
    Collected.all.computeIfAbsent(name, _ => new ConcurrentLinkedQueue[String])
}

object Collected {
  private val all = new ConcurrentHashMap[String, ConcurrentLinkedQueue[String]]
}
