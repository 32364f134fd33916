package io.scalegate.spark.window

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.classic.{DataFrame => ClassicDataFrame}
import org.apache.spark.sql.types.StructType
import org.scalatest.Assertion

import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.spark.window.rules.WindowsReport
import io.scalegate.spark.window.slide.PaneWindowsExec

/** Aggregates over sliding windows against Spark's own plan: rows, and the node that gives them. */
abstract class PaneAggregateSuite extends SparkJoinSuite {
  protected def panes(df: DataFrame): Seq[PaneWindowsExec] =
    collectWithSubqueries(executed(df)) { case p: PaneWindowsExec => p }

  private def said(df: DataFrame): Seq[String] =
    WindowsReport.of(df.asInstanceOf[ClassicDataFrame].queryExecution)

  /** The same rows and schema as plain Spark, by our operator, of which it is said before. */
  protected def assertPanes(query: String): Assertion = {
    val (schema, expected) = plainly(query)
    assertPanesGive(query, schema, expected)
  }

  /** This schema and these rows, sorted, by our operator, of which it is said before. */
  protected def assertPanesGive(
      query: String,
      schema: StructType,
      expected: Seq[String]
  ): Assertion = {
    val df = planned(query, schema, expected)(panes(_).nonEmpty)
    val lines = said(df)
    assert(lines.exists(_.contains(": run by scalegate, on panes")), s"$lines of $query")
  }

  /** The same rows and schema as plain Spark, by a plan of ours; the query. */
  protected def assertPlanned(query: String)(isOurs: DataFrame => Boolean): DataFrame = {
    val (schema, expected) = plainly(query)
    planned(query, schema, expected)(isOurs)
  }

  private def plainly(query: String): (StructType, Seq[String]) = plainSpark {
    val df = spark.sql(query)
    (df.schema, rowsOf(df))
  }

  private def planned(query: String, schema: StructType, expected: Seq[String])(
      isOurs: DataFrame => Boolean
  ): DataFrame = {
    val df = spark.sql(query)
    val actual = rowsOf(df)
    assert(isOurs(df), s"not planned so: $query")
    assert(df.schema == schema, query)
    assert(df.schema.map(_.metadata) == schema.map(_.metadata), query)
    assert(actual == expected, query)
    df
  }

  /** Exactly Spark's plan with the package's aggregates off. */
  protected def assertSparks(query: String): Assertion = {
    assertLeftAlone(query)
    val lines = said(spark.sql(query))
    assert(lines.forall(_.contains(": left to Spark, since ")), s"$lines of $query")
    withSettings(ScaleGateConf.Aggregates -> "false")(assertLeftAlone(query))
  }
}
