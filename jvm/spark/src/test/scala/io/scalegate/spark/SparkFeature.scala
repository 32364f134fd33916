package io.scalegate.spark

import java.io.ByteArrayOutputStream

import scala.util.Try

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.scalegate.{RealTimeMode, TestStreams}
import org.apache.spark.sql.{Encoders, functions}

/** What a minor of Spark can do with this package, and an earlier one can not: a line of the table in
  * `docs/compatibility.md`, which [[SparkFeaturesSuite]] compares with these and tries on the Spark that it runs on.
  *
  * @param what
  *   in the words of the table
  * @param since
  *   the minor that has it first
  * @param before
  *   what the minors before it do
  * @param isThere
  *   tries it
  */
final case class SparkFeature(what: String, since: String, before: String)(
    val isThere: SparkSession => Boolean
) {

  /** Whether the Spark that the tests run on is to have it. */
  def isExpected: Boolean = SparkFeature.number(SPARK_VERSION) >= SparkFeature.number(since)

  def line: String = s"| $what | $since | $before |"
}

object SparkFeature {
  val SqlWatermark: SparkFeature = SparkFeature(
    "SQL's `WATERMARK` clause",
    "4.1",
    "Spark's parser does not know it: `withWatermark`"
  )(parses("SELECT * FROM x WATERMARK t DELAY OF INTERVAL 1 SECOND"))

  private val sketches = Seq("approx_top_k", "theta_sketch_agg", "kll_sketch_agg_bigint")
  private val vectors = Seq("vector_sum")

  val SketchFunctions: SparkFeature = aggregates(sketches, "4.1")
  val VectorFunctions: SparkFeature = aggregates(vectors, "4.2")

  val CollatedElements: SparkFeature = SparkFeature(
    "keys of `within_rows` that have texts with a collation within arrays or structs",
    "4.1",
    "refused with a message"
  )(session =>
    Try(
      session
        .sql(
          "SELECT * FROM VALUES (1, array('a' COLLATE UTF8_LCASE)) l (t, k) JOIN " +
            "VALUES (1, array('A' COLLATE UTF8_LCASE)) r (t, k) ON within_rows(l.t, r.t, 1, l.k, r.k)"
        )
        .collect()
        .length
    ).toOption.contains(1)
  )

  val ExplainedWindows: SparkFeature = SparkFeature(
    "`explain()` of a window aggregate of a stream that is not started shows what is run",
    "4.2",
    "it shows Spark's own plan; a query that is started runs ours"
  ) { session =>
    val times = TestStreams.memoryStream(Encoders.INSTANT, session).toDF()
    val windows = times
      .withWatermark("value", "1 second")
      .groupBy(functions.window(functions.col("value"), "1 minute", "1 second"))
      .count()
    val shown = new ByteArrayOutputStream
    Console.withOut(shown)(windows.explain())
    shown.toString.contains("StreamingPaneWindows")
  }

  val PolledMemory: SparkFeature = SparkFeature(
    "`spark.memory.unmanagedMemoryPollingInterval` counts the windows of streaming joins",
    "4.1",
    "Spark has no such setting"
  )(_ => Try(Class.forName("org.apache.spark.memory.UnmanagedMemoryConsumer")).isSuccess)

  val ConstantCorrelation: SparkFeature = SparkFeature(
    "`corr` of values that do not vary is NULL under ANSI",
    "4.3",
    "Spark fails with `DIVIDE_BY_ZERO`, with the package and without"
  ) { session =>
    val equal = session.newSession()
    equal.conf.set("spark.sql.ansi.enabled", "true")
    Try(equal.sql("SELECT corr(a, b) FROM VALUES (1, 1), (1, 2) AS t(a, b)").collect()).isSuccess
  }

  val RealTimeJoins: SparkFeature = SparkFeature(
    "joins of two streams under `trigger(realTime=...)`",
    "4.3",
    "refused with a message"
  )(_ => RealTimeMode.isKnown)

  val All: Seq[SparkFeature] = Seq(
    SqlWatermark,
    SketchFunctions,
    VectorFunctions,
    CollatedElements,
    ExplainedWindows,
    PolledMemory,
    ConstantCorrelation,
    RealTimeJoins
  )

  def table: Seq[String] =
    Seq("| what | since | before that |", "| --- | --- | --- |") ++ All.map(_.line)

  /** Those of these aggregate functions that the Spark that the tests run on is not to have. */
  def missingFunctions: Seq[String] =
    Seq(SketchFunctions -> sketches, VectorFunctions -> vectors).collect {
      case (feature, names) if !feature.isExpected => names
    }.flatten

  private def aggregates(names: Seq[String], since: String) =
    SparkFeature(
      names.map(name => s"`$name`").mkString("", ", ", " over sliding windows"),
      since,
      "Spark has no such function"
    )(_ =>
      names.forall(name => FunctionRegistry.builtin.functionExists(FunctionIdentifier(name)))
    )

  private def parses(query: String)(session: SparkSession) =
    Try(session.sessionState.sqlParser.parsePlan(query)).isSuccess

  /** Of `4.2.1`, 4002. */
  private def number(version: String): Int = {
    val parts = version.split('.').map(_.takeWhile(_.isDigit).toInt)
    parts(0) * 1000 + parts(1)
  }
}
