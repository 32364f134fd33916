package io.scalegate.spark.around

import java.nio.file.Path
import java.sql.Timestamp

import scala.collection.mutable
import scala.util.{Failure, Random, Success, Try}

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.{Encoders, Row}

import io.scalegate.Sample
import io.scalegate.spark.SparkFeature
import io.scalegate.spark.join.stream.StreamingJoinSuite

/** Random queries over streams in which something stands below, between and above our operators, under random settings,
  * their rows cut into random batches, with restarts between them: plain Spark's query over the same rows at rest says
  * what they give. A query that differs is made smaller for as long as it does, and shown with the number that draws it
  * again. Thousands of them are a matter of `make soak-queries`.
  */
final class StreamsAroundSuite extends StreamingJoinSuite {
  import StreamsAroundSuite._

  private val cases = number("cases", if (Sample.isSoak) 2 else 1)
  private val seed = number("seed", 1)

  /** The case to begin with: one case alone is `cases=1` from it on. */
  private val first = number("first", 0)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    def at(seconds: Int) = Some(new Timestamp(StreamQueryGenerator.Start + 1000L * seconds))
    val known = Seq.tabulate(8) { i =>
      StreamRow(Some(i * 2L), Option.when(i != 3)(i % 5L), at(i).orNull, Some(s"n${i % 5}"))
    } :+ StreamRow(None, Some(2), null, None)
    spark.createDataset(known)(Encoders.product[StreamRow]).createOrReplaceTempView("known")
    spark.sql("CACHE TABLE known")
    spark.udf.register("same", (x: java.lang.Long) => x)
    spark.udf.register("marked", (x: String) => if (x == null) null else s"$x!")
    ()
  }

  // ---- what there is to compare ----

  /** By plain Spark, of the rows at rest. */
  private def expected(tried: StreamCase): Seq[Row] = plainSpark {
    val views = new Views(spark, isPlain = true, streaming = false)
    try {
      StreamCase.Streams.foreach { name =>
        views.view(
          name,
          spark.createDataset(tried.rows(name))(Encoders.product[StreamRow]).toDF()
        )
      }
      spark.sql(tried.query.sql(views)).collect().toSeq
    } finally views.close()
  }

  private def streamed(tried: StreamCase, isPlain: Boolean = false): StreamResult = {
    val directory: Path = newDirectory()
    try new StreamRun(spark, tried, isPlain, directory).result()
    finally {
      FileUtils.deleteQuietly(directory.toFile)
      ()
    }
  }

  /** The last of the rows that are the same row's. */
  private def lastOf(rows: Seq[Row], keys: Option[Seq[Int]]): Seq[Row] = keys match {
    case Some(columns) =>
      rows.groupMapReduce(row => columns.map(row.get))(identity)((_, later) => later).values.toSeq
    case None => rows
  }

  private def unlike(tried: StreamCase, all: Seq[Row], written: Seq[Row]): Option[String] = {
    val (rows, found) = (all.map(_.toString), lastOf(written, tried.keys).map(_.toString))
    lazy val missing = rows.diff(found).sorted.take(8)
    lazy val more = found.diff(rows).sorted.take(8)
    tried.limit match {
      case Some(n) if found.size == math.min(n, rows.size) && more.isEmpty => None
      case None if inOrder(tried) && rows == found => None
      case None if !inOrder(tried) && rows.sorted == found.sorted => None
      case _ =>
        Some(
          s"${rows.size} rows expected, ${found.size} found; missing: $missing; too many: $more"
        )
    }
  }

  private def inOrder(tried: StreamCase) = tried.query.label == "order" && tried.sink != "memory"

  // ---- one case ----

  /** How the rows differ from plain Spark's, if they do. */
  private def difference(tried: StreamCase): Option[String] =
    withSettings(tried.settings.toSeq: _*) {
      val rows = expected(tried)
      Try(streamed(tried)) match {
        case Success(result) if !result.isEnded =>
          counts.one("filters leave no row that ends the streams")
          None
        case Success(result) =>
          counts.all(result.operators)
          unlike(tried, rows, result.rows).filterNot(_ => isSparks(tried, result.rows))
        case Failure(e) if isRefused(tried, e) => None
        case Failure(e) => Some(s"it fails: ${said(e)}")
      }
    }

  /** Whether plain Spark's stream gives the very rows that ours gives. */
  private def isSparks(tried: StreamCase, rows: Seq[Row]): Boolean = {
    val sparks = Try(plainSpark(streamed(tried, isPlain = true))).toOption.map(_.rows)
    val same = sparks.exists(_.map(_.toString).sorted == rows.map(_.toString).sorted)
    if (same) counts.one("otherwise in plain Spark's streams too")
    same
  }

  /** With one of the messages of the documentation, or where plain Spark refuses with the same one. */
  private def isRefused(tried: StreamCase, e: Throwable): Boolean = {
    val documented = Refusals.find(text => said(e).contains(text))
    documented.foreach(text => counts.one(s"refused: $text"))
    documented.nonEmpty || isSparksRefusal(tried, e) || Try(plainSpark(streamed(
      tried,
      isPlain = true
    ))).failed.toOption.exists {
      own =>
        val same = kind(own) == kind(e)
        if (same) counts.one(s"refused by Spark: ${kind(e)}")
        same
    }
  }

  /** Plain Spark refuses each stream in a subquery, whatever stands above it. */
  private def isSparksRefusal(tried: StreamCase, e: Throwable): Boolean =
    tried.toString.contains("LATERAL (SELECT") && SparksRefusals.exists(said(e).contains)

  private def said(e: Throwable): String =
    causes(e).map(c => s"$c").distinct.mkString("; ").take(2000)

  /** What went wrong, without the names, numbers and directories of this query. */
  private def kind(e: Throwable): String = {
    val root = causes(e).last
    val message = String.valueOf(root.getMessage).linesIterator.next()
    s"${root.getClass.getSimpleName} ${message.replaceAll("#\\d+|kept_\\d+|file:\\S+", "")}".take(
      110
    )
  }

  /** The smallest case that can be reached from this one, and still differs. */
  private def smallest(tried: StreamCase, complaint: String): (StreamCase, String) = {
    var found = (tried, complaint)
    var tries = 0
    var more = true
    while (more && tries < MostTries) {
      val smaller = found._1.shrunk.takeWhile(_ => tries < MostTries).flatMap { c =>
        tries += 1
        Try(difference(c)).toOption.flatten.map((c, _))
      }
      more = smaller.hasNext
      if (more) found = smaller.next()
    }
    found
  }

  test(s"$cases random queries over streams have the rows of plain Spark's over tables") {
    needs(SparkFeature.SqlWatermark)
    val begun = System.nanoTime
    val faults = mutable.ArrayBuffer.empty[String]
    var i = first
    while (i < first + cases && faults.size < MostFaults) {
      val drawn = new StreamQueryGenerator(new Random(seed * 1000003L + i)).next()
      // Of one that is asked for, before what may end the JVM.
      if (number("cases", 0) == 1) println(s"case $i of seed $seed: $drawn")
      fault(drawn).foreach { why =>
        faults += s"case $i of seed $seed: $why\n"
        if (isCampaign) println(faults.last)
      }
      if (isCampaign && (i + 1) % 25 == 0)
        println(s"${i + 1} cases, ${faults.size} differ, ${seconds(begun)} s")
      i += 1
    }
    info(s"seed $seed: ${i - first} cases in ${seconds(begun)} s; $counts")
    assert(faults.isEmpty, faults.mkString("\n"))
  }

  private def fault(drawn: StreamCase): Option[String] =
    Try(difference(drawn)) match {
      case Success(None) => None
      case Success(Some(complaint)) =>
        val (small, why) = smallest(drawn, complaint)
        Some(s"$why\n  $small")
      case Failure(e) => Some(s"plain Spark fails: ${said(e)}\n  $drawn")
    }

  private def isCampaign = cases > 20

  private def seconds(since: Long) = (System.nanoTime - since) / 1000000000L

  private val counts = new Counts
}

private object StreamsAroundSuite {
  val MostTries = 120
  val MostFaults = 12

  /** Of the queries that are refused, what the documentation says of them. */
  val Refusals: Seq[String] = Seq(
    "would keep every row for ever",
    "cannot be written in",
    "dropDuplicatesWithinWatermark is not supported on streaming DataFrames/DataSets without watermark",
    "would be joined once for each time",
    "a window of rows over two streams",
    "goes by their watermarks: call withWatermark",
    "CUBE_JOIN goes by the watermarks of three streams",
    "CUBE_JOIN joins three batches or three streams",
    "the time of right rows, which without a tolerance may be",
    "counts the rows of two streams in the order of times that no watermark closes",
    "cannot share this join of two streams among a matrix of cells",
    "WINDOW_JOIN cannot run this join in a matrix of",
    "cannot join two streams: their windows are indexed",
    // Spark's own, of a limit over an aggregate in one partition, as SELECT DISTINCT … LIMIT.
    "Can only upgrade readStore to writeStore with the same stateStoreId"
  )

  /** What Spark says of queries that it runs on no streams. */
  val SparksRefusals: Seq[String] = Seq(
    "not supported for streaming aggregations without watermark",
    "Offset is not supported on streaming DataFrames"
  )

  /** As the environment or the JVM's properties have it. */
  def number(name: String, default: Int): Int = {
    val set = sys.props.get(s"scalegate.stream.$name")
      .orElse(sys.env.get(s"SCALEGATE_STREAM_${name.toUpperCase}"))
    set.fold(default)(_.toInt)
  }

  /** How often what came up. */
  final class Counts {
    private[this] val counted = mutable.TreeMap.empty[String, Int]

    def one(name: String): Unit = counted(name) = counted.getOrElse(name, 0) + 1

    def all(names: Iterable[String]): Unit = names.foreach(one)

    override def toString: String = counted.map { case (k, n) => s"$k: $n" }.mkString(", ")
  }
}
