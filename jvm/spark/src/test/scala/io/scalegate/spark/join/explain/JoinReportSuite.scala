package io.scalegate.spark.join.explain

import org.apache.spark.sql.DataFrame

import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.settings.ScaleGateConf

/** Which joins are run here, which are left to Spark, and what is said of why. */
final class JoinReportSuite extends SparkJoinSuite {
  private def joined(condition: String, how: String = "JOIN", hint: String = "") =
    s"SELECT $hint r.id FROM r $how s ON $condition"

  private def report(query: String): String = JoinReport.lines(spark.sql(query)).mkString("\n")

  test("a join that is run here is said to be, and is") {
    val query = joined("abs(r.i - s.i) <= 3")
    assert(report(query).endsWith(": run by scalegate"))
    assert(windowJoins(spark.sql(query)).nonEmpty)
  }

  Seq(
    joined("r.k = s.k AND r.i < s.i") -> "nothing beside its equal keys bounds a difference",
    joined("r.i < s.i") -> "nothing is bounded. The hint WINDOW_JOIN compares all pairs",
    joined("r.name < s.name") -> "nothing is bounded that can be read: name is STRING",
    joined("abs(r.i - s.i) <= 3", hint = "/*+ BROADCAST(s) */") -> "a hint of Spark's own"
  ).foreach { case (query, why) =>
    test(s"left to Spark, and why: $query") {
      val said = report(query)
      assert(said.contains(": left to Spark, since ") && said.contains(why))
      assert(windowJoins(spark.sql(query)).isEmpty)
    }
  }

  test("a full join of rows that may change is left to Spark where no exchange is shared") {
    val query = joined("abs(r.i - s.i) <= 3", "FULL JOIN")
      .replace("FROM r ", "FROM (SELECT * FROM r LIMIT 9) r ")
    withSettings("spark.sql.exchange.reuse" -> "false") {
      assert(report(query).contains("because of LIMIT or OFFSET"))
    }
  }

  test("each join of a query has a line") {
    val query = "SELECT a.id FROM r a JOIN s b ON abs(a.i - b.i) <= 3 JOIN s c ON b.k = c.k " +
      "WHERE EXISTS (SELECT 1 FROM s WHERE s.i = a.i)"
    val lines = JoinReport.lines(spark.sql(query))
    assert(lines.size == 3)
    assert(lines.count(_.endsWith("run by scalegate")) == 1)
  }

  private def overStreams(condition: String): DataFrame = {
    for (name <- Seq("left", "right"))
      spark.readStream.format("rate").load().withWatermark("timestamp", "1 second")
        .createOrReplaceTempView(s"stream_$name")
    spark.sql(s"SELECT l.value FROM stream_left l JOIN stream_right r ON $condition")
  }

  test("of two streams it is said before the query starts") {
    val near = "l.timestamp BETWEEN r.timestamp - INTERVAL 5 SECONDS AND r.timestamp"
    val run = overStreams(s"$near AND abs(l.value - r.value) <= 3")
    def told(frame: DataFrame, what: String) = JoinReport.lines(frame).map(_.contains(what))
    assert(told(run, ": run by scalegate") == Seq(true))
    val unbounded = overStreams("l.value = r.value")
    val why = ": left to Spark, since this join of two streams would keep every row"
    assert(told(unbounded, why) == Seq(true))
    withSettings(ScaleGateConf.Enabled -> "false") {
      assert(told(overStreams(near), s"${ScaleGateConf.Enabled} is false") == Seq(true))
    }
  }

  test("a join of two streams that will be refused is refused") {
    val e = intercept[IllegalArgumentException] {
      JoinReport.lines(overStreams("l.value < r.value"))
    }
    assert(e.getMessage.contains("does not bound the difference between the event times"))
  }

  test("the hint asks about streams, too") {
    val run = overStreams("l.timestamp BETWEEN r.timestamp - INTERVAL 5 SECONDS AND r.timestamp")
    assert(run.hint(ExplainJoins.Name).toDF().collect().map(_.getString(0)).toSeq ==
      JoinReport.lines(run))
  }

  test("aggregates of the rows around each row are said to be run") {
    val around = "(SELECT count(*) AS n, max(s.x) FROM s " +
      "WHERE s.k = r.k AND s.ts BETWEEN r.ts - INTERVAL 1 HOUR AND r.ts)"
    assert(
      report(s"SELECT * FROM r, LATERAL $around") ==
        "aggregate of the right rows around each left row, keys: r.k = s.k; " +
        "window: s.ts - r.ts in [-1 hour, 0 seconds]; aggregates: count(1), max(s.x): run by scalegate"
    )
  }

  test("of aggregates over sliding windows it is said who computes them, and why not here") {
    val sliding = "window(ts, '20 minutes', '5 minutes')"
    def over(functions: String, by: String = sliding) =
      s"SELECT $functions FROM r GROUP BY $by, k"
    val title = "aggregate over windows of 20 minutes every 5 minutes, by window, r.k: "
    assert(report(over("count(*)")) == title + "run by scalegate, on panes")
    assert(report(s"SELECT /*+ WINDOW_DESIGN('wiml') */ sum(i) FROM r GROUP BY $sliding, k") ==
      title + "run by scalegate, by the design wiml")
    assert(report(over("count(*)", "window(ts, '5 minutes')")).isEmpty)
    def left(query: String) = report(query).stripPrefix(s"${title}left to Spark, since ")
    assert(
      left(over("count(DISTINCT i)")).startsWith("partial results of count(DISTINCT r.i) do")
    )
    assert(left(over("max(window.end)")).contains(", a function reads it, or a filter does"))
    withSettings(ScaleGateConf.MinOverlap -> "5") {
      assert(left(over("count(*)")) == "windows are 4 times as long as they are apart, and " +
        "spark.scalegate.aggregate.minOverlap is 5")
    }
    for (setting <- Seq(ScaleGateConf.Aggregates, ScaleGateConf.Enabled))
      withSettings(setting -> "false")(assert(left(over("count(*)")) == s"$setting is false"))
  }

  test("a hint gives the lines instead of the rows, and runs nothing") {
    val fails = "SELECT raise_error('run') IS NULL AS x, r.id " +
      joined("abs(r.i - s.i) <= 3").stripPrefix("SELECT  r.id ")
    val explained = spark.sql(fails).hint("explain_joins").toDF()
    assert(explained.collect().map(_.getString(0)).toSeq == JoinReport.lines(spark.sql(fails)))
    assert(explained.columns.toSeq == Seq("join") && !explained.isEmpty)
  }

  test(
    "the hint sees the joins of a query with common table expressions that is not analyzed yet"
  ) {
    val hint = s"/*+ ${ExplainJoins.Name} */"
    val query =
      s"WITH c AS (SELECT * FROM r) SELECT $hint a.id FROM c a JOIN c b ON abs(a.i - b.i) <= 3"
    val lines = spark.sql(query).collect().map(_.getString(0)).toSeq
    assert(lines.size == 1 && lines.head.endsWith(": run by scalegate"))
  }

  test("a package that is switched off says so") {
    withSettings(ScaleGateConf.Enabled -> "false") {
      assert(report(joined("abs(r.i - s.i) <= 3")).contains("spark.scalegate.enabled is false"))
    }
  }
}
