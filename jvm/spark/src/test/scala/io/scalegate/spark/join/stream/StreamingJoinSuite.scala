package io.scalegate.spark.join.stream

import java.nio.file.Path
import java.sql.Timestamp
import java.util.concurrent.ConcurrentSkipListMap

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.scalegate.StreamAccess
import org.apache.spark.sql.scalegate.TestStreams.{
  FileSystemBasedCheckpointFileManager,
  memoryStream
}
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException}
import org.apache.spark.sql.{DataFrame, Encoders}

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.tags.Streaming

/** An event of a test's stream; `at` is in milliseconds. */
final case class Event(ts: Timestamp, k: Option[Int], x: Option[Int], id: Long)

object Event {
  def apply(at: Long, k: Int, x: Int, id: Long): Event =
    Event(new Timestamp(at), Some(k), Some(x), id)
}

/** Runs queries on two in-memory streams, l and r, step by step, in the style of Spark's own StreamTest. */
@Streaming
abstract class StreamingJoinSuite extends SparkJoinSuite {
  override protected def settings: Map[String, String] = Map(
    "spark.sql.shuffle.partitions" -> "2",
    "spark.sql.streaming.minBatchesToRetain" -> "2",
    // Spark's default starts processes for each file where Hadoop has no native library, which takes most of a small
    // batch's time.
    "spark.sql.streaming.checkpointFileManagerClass" ->
      classOf[FileSystemBasedCheckpointFileManager].getName
  )

  protected def at(seconds: Double, id: Long, x: Int = 5): Event =
    Event((seconds * 1000).toLong, 1, x, id)

  /** Rows that are near in time and value. */
  protected val query: String =
    "SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON " +
      "r.ts BETWEEN l.ts - INTERVAL 1 SECOND AND l.ts + INTERVAL 1 SECOND AND abs(l.x - r.x) <= 1"

  /** Whether all cases are to be tried, however long it takes, and what the random ones go by. */
  protected val isSoak: Boolean = Sample.isSoak
  protected def seeded(usual: => Long): Long =
    sys.env.get("SCALEGATE_SEED").map(_.toLong).getOrElse(if (isSoak) System.nanoTime else usual)

  /** Into how many batches the rows are cut: as many as said in a campaign, otherwise into two, of which the second finds
    * what the first has left. The one that moves the watermark comes then.
    */
  protected def cutInto(batches: Int): Int = if (isSoak) batches else math.min(batches, 2)

  /** A query over the views l and r.
    *
    * @param views
    *   makes others of them
    */
  protected class Running(
      query: String,
      delay: String = "0 seconds",
      mode: String = "append",
      watermarks: Boolean = true,
      views: () => Unit = () => (),
      val checkpoint: Path = newDirectory()
  ) {
    private val session = spark.asInstanceOf[ClassicSession]
    private var left = memoryStream(Encoders.product[Event], session)
    private var right = memoryStream(Encoders.product[Event], session)
    private val batchTexts = new ConcurrentSkipListMap[Long, Seq[String]]
    private var seen = 0
    @volatile private var failing = false
    @volatile private var changed = Seq.empty[Long]
    private var running: StreamingQuery = _

    def result: DataFrame = {
      for ((name, rows) <- Seq("l" -> left.toDF(), "r" -> right.toDF()))
        (if (watermarks) rows.withWatermark("ts", delay) else rows).createOrReplaceTempView(name)
      views()
      spark.sql(query)
    }

    def start(): this.type = {
      running = RowsSink.taking(written) { sink =>
        result.writeStream
          .outputMode(mode)
          .option("checkpointLocation", checkpoint.toString)
          .format(classOf[RowsSink].getName)
          .option(RowsSink.To, sink)
          .start()
      }
      this
    }

    private def written(id: Long, texts: Seq[String]): Unit = {
      if (failing) throw new IllegalStateException("the output fails, as asked")
      val before = batchTexts.put(id, texts)
      if (before != null && before.sorted != texts.sorted) changed :+= id
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

    /** Rows of a batch that the checkpoint has already, and which the streams hold no more. */
    def before(l: Seq[Event], r: Seq[Event]): Unit = {
      left.addData(l)
      right.addData(r)
      ()
    }

    /** Adds rows to both streams, for one batch, and waits until all is done that can be. */
    def add(l: Seq[Event], r: Seq[Event]): this.type = {
      StreamAccess.betweenBatches(running)(before(l, r))
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
      val all = batchTexts.values.asScala.flatten.toSeq
      val next = all.drop(seen)
      seen = all.length
      next.sorted
    }

    def all: Seq[String] = inOrder.sorted

    /** The batches that were written again with other rows. */
    def otherTheSecondTime: Seq[Long] = changed

    /** What was written, in the order in which it was. */
    def inOrder: Seq[String] = batchTexts.values.asScala.flatten.toSeq

    /** What the last batch wrote, in any order: the whole result in complete mode. */
    def last: Seq[String] = batchTexts.lastEntry.getValue.sorted

    /** What Spark calls the query's stateful operator. */
    def operator: String = running.lastProgress.stateOperators.head.operatorName

    /** Those of all of its stateful operators. */
    def operators: Seq[String] = running.lastProgress.stateOperators.toSeq.map(_.operatorName)

    /** Rows that the state of an operator of this name holds. */
    def stateOf(name: String): Long =
      running.lastProgress.stateOperators.find(_.operatorName == name).get.numRowsTotal

    /** Rows that the operator's state holds. */
    def stateRows: Long = running.lastProgress.stateOperators.head.numRowsTotal

    /** The plan of the last batch, as the query shows it. */
    def explained: String = {
      val text = new java.io.ByteArrayOutputStream
      Console.withOut(text)(running.explain())
      text.toString
    }

    /** The plan of the last batch, as it was executed. */
    def executed: SparkPlan = StreamAccess.lastPlan(running)

    def metric(name: String): Long =
      running.lastProgress.stateOperators.head.customMetrics.get(name)

    /** Of all batches since the query was started last. */
    def total(name: String): Long =
      running.recentProgress.flatMap(_.stateOperators).map(_.customMetrics.get(name).longValue).sum

    /** That were run, those without data among them. */
    def batches: Int = batchTexts.size

    /** What each batch tells of the times of its rows. */
    def eventTimes: Seq[Map[String, String]] =
      running.recentProgress.map(_.eventTime.asScala.toMap).toSeq

    /** Rows that were too late, in all. */
    def dropped: Long =
      running.recentProgress.flatMap(_.stateOperators).map(_.numRowsDroppedByWatermark).sum
  }

  /** The same query on the same rows at rest, by plain Spark. */
  protected def batchResult(query: String, l: Seq[Event], r: Seq[Event]): Seq[String] = {
    spark.createDataset(l)(Encoders.product[Event]).createOrReplaceTempView("l")
    spark.createDataset(r)(Encoders.product[Event]).createOrReplaceTempView("r")
    // To compile a query takes longer than to interpret it for few rows.
    val compiled = Seq(
      "spark.sql.codegen.wholeStage" -> "true",
      "spark.sql.codegen.factoryMode" -> "FALLBACK"
    )
    withSettings(compiled.filter(_ => l.size + r.size > 2000): _*)(plainSpark(
      rowsOf(spark.sql(query))
    ))
  }
}
