package io.scalegate.spark

import java.nio.file.{Files, Path}

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.classic.{DataFrame => ClassicDataFrame}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.{Assertion, BeforeAndAfterAll}

import io.scalegate.spark.join.WindowJoinNode
import io.scalegate.spark.join.batch.{LocalJoin, WindowJoinExec}
import io.scalegate.spark.settings.ScaleGateConf

/** Runs queries with the package on and off in one session and compares: Spark's own plan decides what is
  * right. The session gets the extensions from the class path, as a user's does.
  */
abstract class SparkJoinSuite
    extends AnyFunSuite
    with BeforeAndAfterAll
    with AdaptiveSparkPlanHelper {
  protected def settings: Map[String, String] = Map.empty

  /** Whether Spark generates code for expressions. To compile it costs more than these small inputs; some suites
    * do, and the Python tests generate whole stages.
    */
  protected def generatesCode: Boolean = false

  /** Spark takes the test tables, whose size it does not know, for small ones. */
  protected val SmallTables: Map[String, String] = Map("spark.sql.defaultSizeInBytes" -> "1000")

  protected lazy val spark: SparkSession = {
    val builder = SparkSession
      .builder()
      .master("local[2]")
      .appName(suiteName)
      .config("spark.ui.enabled", "false")
      // What Spark tells its listeners of each plan, and of each change of it.
      .config("spark.sql.ui.explainMode", "simple")
      // Spark's default sorts a thousand queries at the end of each, when there are so many.
      .config("spark.sql.ui.retainedExecutions", "50")
      .config("spark.sql.shuffle.partitions", "3")
      // Spark's default allocates, and clears, four megabytes for what each job broadcasts to its tasks.
      .config("spark.broadcast.blockSize", "128k")
      .config("spark.sql.codegen.wholeStage", "false")
      .config("spark.sql.codegen.factoryMode", if (generatesCode) "FALLBACK" else "NO_CODEGEN")
      .config("spark.sql.session.timeZone", "UTC")
      .config("spark.hadoop.fs.file.impl", classOf[PlainFileSystem].getName)
    settings.foldLeft(builder) { case (b, (k, v)) => b.config(k, v) }.getOrCreate()
  }

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sparkContext.setLogLevel("ERROR")
    TestTables.register(spark)
  }

  override protected def afterAll(): Unit =
    try spark.stop()
    finally {
      FileUtils.deleteQuietly(directories.toFile)
      super.afterAll()
    }

  private lazy val directories: Path = Files.createTempDirectory("scalegate")

  /** A new directory, which goes when the suite is through. */
  protected def newDirectory(): Path = Files.createTempDirectory(directories, "test")

  /** What plain Spark is asked, to which our hints say nothing. */
  protected def withoutHints(query: String): String = query.replaceAll("/\\*.*?\\*/", "")

  /** Plain Spark's answer. Kept for the other suites of this JVM, which ask for the same rows of the same
    * tables, whatever its hints say.
    */
  private def expectedRows(query: String): Seq[String] = {
    val plain = withoutHints(query)
    val underSettings = (plain, spark.conf.get("spark.sql.session.timeZone"))
    SparkJoinSuite.answers.computeIfAbsent(
      underSettings,
      _ => plainSpark(rowsOf(spark.sql(plain)))
    )
  }

  protected def withSettings[T](pairs: (String, String)*)(body: => T): T = {
    val before = pairs.map { case (k, _) => k -> spark.conf.getOption(k) }
    pairs.foreach { case (k, v) => spark.conf.set(k, v) }
    try body
    finally
      before.foreach {
        case (k, Some(v)) => spark.conf.set(k, v)
        case (k, None) => spark.conf.unset(k)
      }
  }

  /** Leaves a test out where the Spark that it runs on is too old for it. */
  protected def needs(feature: SparkFeature): Unit = {
    assume(feature.isExpected, s"${feature.what}: since Spark ${feature.since}")
    ()
  }

  protected def plainSpark[T](body: => T): T =
    withSettings(ScaleGateConf.Enabled -> "false")(body)

  /** The rows of a query, as a sorted list of texts: a multiset that a failure message can show. */
  protected def rowsOf(df: DataFrame): Seq[String] = df.collect().map(_.toString).toSeq.sorted

  /** The exception, and what caused it. */
  protected def causes(e: Throwable): Seq[Throwable] =
    Iterator.iterate(e)(_.getCause).takeWhile(_ != null).toSeq

  protected def executed(df: DataFrame): SparkPlan =
    df.asInstanceOf[ClassicDataFrame].queryExecution.executedPlan

  /** That the plan has one window join, whose tasks join so. */
  protected def assertRunsBy(df: DataFrame, local: Class[_ <: LocalJoin]): Assertion =
    windowJoins(df) match {
      case Seq(join: WindowJoinExec) => assert(local.isInstance(join.local), join.local)
      case other => fail(s"not one window join: $other")
    }

  protected def windowJoins(df: DataFrame): Seq[WindowJoinNode] =
    collect(executed(df)) { case w: WindowJoinNode => w }

  /** The same rows as plain Spark, by our operator. */
  protected def assertJoins(query: String): Assertion = {
    assertedJoin(query)
    succeed
  }

  /** The query that [[assertJoins]] holds of, when it has run. */
  protected def assertedJoin(query: String): DataFrame = {
    val expected = expectedRows(query)
    val df = spark.sql(query)
    val actual = rowsOf(df)
    assert(windowJoins(df).nonEmpty, s"not planned as a WindowJoin: $query")
    assert(actual == expected, query)
    df
  }

  /** Exactly the plan that Spark makes without the package. */
  protected def assertLeftAlone(query: String): Assertion = {
    def shape =
      executed(spark.sql(query)).canonicalized.toString.replaceAll("plan_id=\\d+|exists#\\d+", "")
    val expected = plainSpark(shape)
    assert(shape == expected, query)
  }
}

private object SparkJoinSuite {
  val answers = new java.util.concurrent.ConcurrentHashMap[(String, String), Seq[String]]
}
