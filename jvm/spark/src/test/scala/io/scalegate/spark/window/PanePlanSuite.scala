package io.scalegate.spark.window

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.plans.logical.Expand
import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Encoder, Encoders}

import io.scalegate.Sample
import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.spark.window.partial.PartialPanesExec

/** Which aggregates are planned on panes, and what is left to Spark. With `SCALEGATE_SOAK` all are run with adaptive
  * execution and without; otherwise by turns.
  */
final class PanePlanSuite extends PaneAggregateSuite {
  import PanePlanSuite.Failing

  private val Size = "'20 minutes', '5 minutes'"
  private val Window = s"window(ts, $Size)"

  private def windowed(aggregates: String, keys: String = ", k", from: String = "r") =
    s"SELECT window$keys, $aggregates FROM $from GROUP BY $Window$keys"

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql(s"CREATE TEMPORARY VIEW windowed AS SELECT $Window AS w, * FROM r")
    ()
  }

  test("a sliding window by a key") {
    assertPanes(windowed("count(*), sum(i), max(l)"))
  }

  test("a sliding window without a key") {
    assertPanes(windowed("count(*), min(d)", ""))
  }

  test("a tumbling window is Spark's") {
    assertSparks("SELECT window, count(*) FROM r GROUP BY window(ts, '5 minutes')")
  }

  test("EXPLAIN names windows, panes, keys and functions") {
    val explained =
      spark.sql("EXPLAIN " + windowed("count(*), sum(i)")).head().getString(0)
    assert(explained.contains(
      "PaneWindows windows: 20 minutes every 5 minutes; panes: 5 minutes; keys: [k#"
    ))
    assert(explained.contains("functions: [count(1), sum(i#"))
    assert(explained.contains("PartialPanes panes: 5 minutes; keys: [k#"))
    assert(!explained.contains("Expand"))
  }

  Seq(
    "a common table expression" ->
      s"WITH e AS (SELECT $Window AS w, * FROM r) SELECT w, k, sum(i) FROM e WHERE i > 0 GROUP BY w, k",
    "a view of windows" -> "SELECT w.start, k, sum(l) FROM windowed GROUP BY w, k",
    "a condition on windows from above" ->
      s"SELECT * FROM (${windowed("count(*) AS n")}) WHERE window.start > '2013-03-10 12:00:00' AND k < 3 AND n > 1",
    "a condition on windows and keys from above" ->
      s"SELECT * FROM (${windowed("sum(i) AS n")}) WHERE minute(window.start) > 10 * k",
    "windows of windows" ->
      s"""SELECT window(window, '3 hours', '1 hour') AS outer, count(*), sum(n)
         |FROM (${windowed("count(*) AS n")}) GROUP BY outer""".stripMargin,
    "a window's time" ->
      s"SELECT k, n, window_time(window) FROM (${windowed("sum(i) AS n")})",
    "a join of two aggregates" ->
      s"SELECT * FROM (${windowed("sum(i) AS a")}) JOIN (${windowed("max(l) AS b", from = "s")}) USING (window, k)",
    "a scalar subquery" ->
      s"SELECT id, (SELECT max(n) FROM (${windowed("count(*) AS n")})) FROM r",
    "a subquery within an aggregate" -> windowed("sum(i + (SELECT max(i) FROM s)), max(l)"),
    "a subquery within the input" -> windowed(
      "sum(i)",
      from = "(SELECT * FROM r WHERE k IN (SELECT k FROM s))"
    ),
    "a union of inputs" -> windowed(
      "sum(i)",
      from = "(SELECT * FROM r UNION ALL SELECT * FROM s)"
    ),
    "one function twice, and expressions of functions" ->
      windowed("sum(i), sum(i) + count(*) * 2, window.end, k + 1 AS next, 'text'"),
    "a key of the input's own expression" -> windowed("sum(i)", ", i % 3"),
    "a time of an expression" ->
      "SELECT window, count(*) FROM r GROUP BY window(CAST(CAST(ts AS STRING) AS TIMESTAMP) + INTERVAL 1 HOUR, '3 hours', '1 hour')",
    "a time without zone" -> windowed("sum(i)").replace("window(ts", "window(tn"),
    "ordered and limited" -> s"${windowed("sum(i)")} ORDER BY window, k LIMIT 20",
    "a correlated subquery" ->
      s"SELECT id FROM s WHERE EXISTS (SELECT 1 FROM (${windowed("count(*) AS n")}) AS c WHERE c.k = s.k AND c.n > 1)",
    "the rows that Spark drops as duplicates" -> s"SELECT DISTINCT k, n FROM (${windowed("count(*) AS n")})"
  ).zipWithIndex.foreach { case ((name, query), i) =>
    test(s"on panes: $name") {
      Sample.turn(Seq(true, false), i).foreach(adaptive =>
        withSettings("spark.sql.adaptive.enabled" -> adaptive.toString)(assertPanes(query))
      )
    }
  }

  Seq(
    "DISTINCT" -> windowed("count(DISTINCT i)"),
    "grouping sets" ->
      "SELECT window, k, count(*) FROM r GROUP BY GROUPING SETS ((window(ts, '20 minutes', '5 minutes'), k), (k))",
    "a window's start as the key" ->
      "SELECT w.start, count(*) FROM (SELECT window(ts, '20 minutes', '5 minutes') AS w FROM r) GROUP BY w.start",
    "windows without an aggregate" -> "SELECT window(ts, '20 minutes', '5 minutes') AS w, i FROM r",
    "windows under a filter" ->
      "SELECT w, i FROM (SELECT window(ts, '20 minutes', '5 minutes') AS w, i, k FROM r) WHERE k > 1 AND w.start > '2013-03-10'",
    "a function of the window" -> windowed("max(window.end)"),
    "session windows" -> "SELECT session_window, count(*) FROM r GROUP BY session_window(ts, '5 minutes')"
  ).foreach { case (name, query) =>
    test(s"$name: Spark's plan")(assertSparks(query))
  }

  private def grouped(from: DataFrame): DataFrame =
    from.groupBy(window(col("ts"), "20 minutes", "5 minutes", "1 minute"), col("k"))
      .agg(sum("i"), countDistinctOf("name"))

  private def countDistinctOf(column: String) = size(collect_set(column)).as("names")

  test("a DataFrame's windows") {
    val expected = plainSpark(rowsOf(grouped(spark.table("r"))))
    val found = grouped(spark.table("r"))
    assert(panes(found).map(_.terms.by) ==
      Seq(SlidingWindow(1200000000L, 300000000L, 60000000L)))
    assert(rowsOf(found) == expected)
  }

  private def partials(df: DataFrame): Seq[PartialPanesExec] =
    collectWithSubqueries(executed(df)) { case p: PartialPanesExec => p }

  private val Both =
    "(SELECT ts, k, i, l FROM r UNION ALL SELECT ts, k, i + 1, l FROM s WHERE l > 0)"

  test("each part of a union is aggregated where it is read") {
    val unions =
      Seq(Both -> 2, s"(SELECT * FROM $Both UNION ALL SELECT ts, NULL, i, 7 FROM r)" -> 3)
    Seq("", ", k", ", k, i % 3").zipWithIndex.foreach {
      case (keys, i) =>
        Sample.turn(unions, i).foreach { case (from, parts) =>
          val query = windowed("sum(i), min(l), count(k) FILTER (WHERE i > 1)", keys, from)
          assert(partials(spark.sql(query)).size == parts, query)
          assertPanes(query)
        }
    }
    assertPanes(windowed("max(CAST(i AS STRING)), sum(l)", from = Both))
  }

  test("a value of chance above a union, which Spark has drawn in its parts") {
    val query =
      windowed("sum(i)", ", j").replace("FROM r", s"FROM (SELECT *, rand() < 2 AS j FROM $Both)")
    assert(partials(spark.sql(query)).size == 2)
    assertPanes(query)
  }

  test("the analyzer's rules see dozens of windows as one") {
    val many = s"SELECT window, k, sum(i) FROM r GROUP BY window(ts, '60 minutes', '1 minute'), k"
    val odd = many.replace("'1 minute'", "'7 minutes'")
    Seq(many, odd).foreach { query =>
      val seen = spark.sql(query).queryExecution.analyzed.collect { case e: Expand => e }
      assert(seen.map(_.projections.size) == Seq(1), query)
      assertPanes(query)
    }
  }

  Seq(ScaleGateConf.Aggregates, ScaleGateConf.Enabled).foreach { switch =>
    test(s"a query may be switched between its making and its run: $switch") {
      Seq(
        windowed("sum(i)"),
        "SELECT window, sum(i) FROM r GROUP BY window(ts, '10 minutes', '3 minutes')"
      )
        .foreach { query =>
          val expected = plainSpark(rowsOf(spark.sql(query)))
          val made = spark.sql(query)
          withSettings(switch -> "false") {
            assert(panes(made).isEmpty)
            assert(rowsOf(made) == expected)
          }
          val madeOff = withSettings(switch -> "false")(spark.sql(query))
          assert(panes(madeOff).nonEmpty)
          assert(rowsOf(madeOff) == expected)
        }
    }
  }

  test("windows joined to themselves") {
    def joined: DataFrame = {
      val made = spark.sql(windowed("sum(i) AS n"))
      made.as("a").join(made.as("b"), expr("a.window = b.window AND a.k < b.k"))
        .select("a.window", "a.k", "b.k", "a.n", "b.n")
    }
    val rows =
      spark.table("r").select(window(col("ts"), "20 minutes", "5 minutes").as("w"), col("id"))
    def twice: DataFrame = rows.as("a").join(rows.as("b"), expr("a.w = b.w AND a.id = b.id"))
    val expected = plainSpark((rowsOf(joined), rowsOf(twice)))
    assert(panes(joined).size == 2)
    assert((rowsOf(joined), rowsOf(twice)) == expected)
  }

  test("what is cached is found again") {
    val made = spark.sql(windowed("sum(i)"))
    val expected = plainSpark(rowsOf(spark.sql(windowed("sum(i)"))))
    made.cache()
    try {
      assert(rowsOf(made) == expected)
      val again = spark.sql(windowed("sum(i)"))
      assert(executed(again).toString.contains("InMemoryTableScan"))
      assert(rowsOf(again) == expected)
    } finally made.unpersist(blocking = true)
  }

  test("windows of a cached expansion are Spark's") {
    val made = spark.sql(s"SELECT $Window AS w, * FROM r").cache()
    try {
      val expected = plainSpark(rowsOf(made.groupBy("w").agg(sum("i"))))
      assert(rowsOf(made.groupBy("w").agg(sum("i"))) == expected)
    } finally made.unpersist(blocking = true)
  }

  test("conditions on keys and rows reach the input") {
    val planned = spark.sql(
      s"SELECT * FROM (${windowed("sum(i)", from = "(SELECT * FROM r WHERE l > 0)")}) WHERE k = 2"
    ).queryExecution.optimizedPlan.toString
    val below = planned.substring(planned.indexOf("TimeWindows"))
    Seq("isnotnull(ts", "(k#", "(l#").foreach(part => assert(below.contains(part), planned))
  }

  test("conditions on windows are tested before a row is made of them") {
    val query =
      s"SELECT * FROM (${windowed("sum(i)")}) WHERE window.start > '2013-03-10 12:00:00' AND k < 3"
    val found = panes(spark.sql(query))
    assert(found.map(_.terms.having.nonEmpty) == Seq(true))
    assert(found.head.toString.contains("having: "))
  }

  test("windows of windows are both on panes") {
    val query = s"""SELECT window(window, '3 hours', '1 hour') AS outer, count(*)
                   |FROM (${windowed("count(*) AS n")}) GROUP BY outer""".stripMargin
    assert(panes(spark.sql(query)).size == 2)
  }

  test("the switch leaves windows to Spark, and takes true or false only") {
    withSettings(ScaleGateConf.Aggregates -> "false") {
      assert(panes(spark.sql(windowed("sum(i)"))).isEmpty)
    }
    withSettings(ScaleGateConf.Aggregates -> "perhaps") {
      val e = intercept[IllegalArgumentException](spark.sql(windowed("sum(i)")).collect())
      assert(e.getMessage ==
        "spark.scalegate.aggregate.enabled must be true or false, not 'perhaps'")
    }
  }

  test("windows that overlap less than it pays are Spark's, unless asked for") {
    val query = "SELECT window, count(*) FROM r GROUP BY window(ts, '29 minutes', '15 minutes')"
    assertSparks(query)
    withSettings(ScaleGateConf.MinOverlap -> "1")(assertPanes(query))
    withSettings(ScaleGateConf.MinOverlap -> "5")(assertSparks(windowed("sum(i)")))
    withSettings(ScaleGateConf.MinOverlap -> "4")(assertPanes(windowed("sum(i)")))
    withSettings(ScaleGateConf.MinOverlap -> "0") {
      val e = intercept[IllegalArgumentException](spark.sql(query).collect())
      assert(e.getMessage.contains("must be a whole number of at least 1, not '0'"))
    }
  }

  test("metrics count panes, windows and merges") {
    val df = spark.sql(windowed("sum(i)"))
    val rows = df.collect().length.toLong
    val metrics = panes(df).head.metrics
    assert(metrics("numOutputRows").value == rows)
    val inputs = spark.sql(
      "SELECT DISTINCT k, floor(unix_seconds(ts) / 300) FROM r WHERE ts IS NOT NULL"
    ).count()
    assert(metrics("panes").value == inputs)
    assert(metrics("merges").value > 0 && metrics("merges").value <= 2 * inputs)
    assert(metrics("peakPanes").value > 1)
  }

  test(
    "a time whose window ends after the last of all times raises the error that Spark raises"
  ) {
    val query =
      "SELECT window, count(*) FROM VALUES (timestamp_micros(9223372036854775807 - 5)) AS t(ts) " +
        "GROUP BY window(ts, '20 microseconds', '5 microseconds')"
    def error = intercept[Exception](spark.sql(query).collect())
    Seq(error, plainSpark(error)).foreach { e =>
      assert(causes(e).exists(_.isInstanceOf[ArithmeticException]), e)
    }
  }

  test("the session's zone and its changes do not matter") {
    Seq("America/New_York", "Asia/Kolkata", "Australia/Lord_Howe").foreach { zone =>
      withSettings("spark.sql.session.timeZone" -> zone) {
        assertPanes(
          "SELECT window, count(*) FROM r GROUP BY window(ts, '36 hours', '7 hours', '30 minutes')"
        )
        assertPanes("SELECT window, count(*) FROM r GROUP BY window(tn, '3 days', '1 day')")
      }
    }
  }

  test("an error of a function reaches the caller") {
    val query = windowed("sum(l * 4611686018427387904)")
    Seq("true" -> false, "false" -> true).foreach { case (ansi, passes) =>
      withSettings("spark.sql.ansi.enabled" -> ansi) {
        if (passes) assertPanes(query)
        else intercept[Exception](spark.sql(query).collect())
      }
    }
  }

  Seq(
    "'0 seconds', '5 minutes'",
    "'-20 minutes', '5 minutes'",
    "'20 minutes', '0 seconds'",
    "'20 minutes', '-5 minutes'",
    "'5 minutes', '20 minutes'",
    "'20 minutes', '5 minutes', '-5 minutes'",
    "'1 month', '5 minutes'",
    "'200000000 days', '5 minutes'"
  ).foreach { windows =>
    test(s"windows that Spark refuses raise its error: $windows") {
      def error: (String, java.util.Map[String, String]) = {
        val query = windowed("sum(i)").replace(Size, windows)
        val e = intercept[Exception with SparkThrowable](spark.sql(query).collect())
        (e.getCondition, e.getMessageParameters)
      }
      assert(error == plainSpark(error))
    }
  }

  Seq("reduce", "merge", "finish").foreach { step =>
    test(s"a user's function that fails in $step ends the query with its error, and that alone") {
      spark.udf.register("failing", udaf(Failing(step)))
      val failing = spark.sql(windowed("count(*), failing(coalesce(i, 0))"))
      assert(panes(failing).nonEmpty)
      val e = intercept[Exception](failing.collect())
      assert(causes(e).exists(_.toString.contains(s"fails in $step, as asked")), e)
      spark.udf.register("failing", udaf(Failing("nothing")))
      assertPanes(windowed("count(*), failing(coalesce(i, 0))"))
    }
  }

  test("a table is written of windows") {
    val folder = newDirectory().toString
    spark.sql(windowed("sum(i) AS n")).write.mode("overwrite").parquet(folder)
    val expected = plainSpark(rowsOf(spark.sql(windowed("sum(i) AS n"))))
    assert(rowsOf(spark.read.parquet(folder)) == expected)
  }

  test("partial results are packed where they are of fixed size, and Spark's own elsewhere") {
    def packed(query: String) = partials(spark.sql(query)).size
    Seq("count(*), sum(l), avg(x)", "min(ts)", "sum(CAST(l AS DECIMAL(38, 2)))").foreach {
      aggregates =>
        assert(packed(windowed(aggregates)) == 1, aggregates)
    }
    Seq("max(name)", "count(*), collect_set(i)").foreach { aggregates =>
      assert(packed(windowed(aggregates)) == 0, aggregates)
    }
    Seq("name", "i, name").foreach(keys => assert(packed(windowed("sum(l)", s", $keys")) == 1))
    assert(packed(windowed("sum(l)", ", name COLLATE UNICODE_CI")) == 0)
  }

  test("an input that is cached, with adaptive execution and without") {
    spark.sql("CACHE TABLE held AS SELECT * FROM r")
    try
      Seq("true", "false").foreach { adaptive =>
        withSettings("spark.sql.adaptive.enabled" -> adaptive) {
          assertPanes(
            "SELECT window, k, count(*), sum(l) FROM held GROUP BY window(ts, '20 seconds', '5 seconds'), k"
          )
        }
      }
    finally {
      spark.sql("UNCACHE TABLE held")
      ()
    }
  }
}

private object PanePlanSuite {

  /** Sums, but for one step. */
  final case class Failing(step: String) extends Aggregator[Int, Long, Long] {
    private def unless(here: String)(result: Long): Long =
      if (step == here) throw new IllegalStateException(s"it fails in $here, as asked")
      else result

    override def zero: Long = 0L
    override def reduce(sum: Long, value: Int): Long = unless("reduce")(sum + value)
    override def merge(a: Long, b: Long): Long = unless("merge")(a + b)
    override def finish(sum: Long): Long = unless("finish")(sum)
    override def bufferEncoder: Encoder[Long] = Encoders.scalaLong
    override def outputEncoder: Encoder[Long] = Encoders.scalaLong
  }
}
