package io.scalegate.spark

import org.apache.spark.SparkThrowable

import io.scalegate.spark.settings.ScaleGateConf

/** Values at the ends of their types, where sums overflow, and conditions that raise. */
final class BadInputSuite extends SparkJoinSuite {
  private val ends =
    Seq(Long.MinValue, Long.MinValue + 3, -2L, 0L, 3L, Long.MaxValue - 4, Long.MaxValue)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val session = spark
    import session.implicits._
    val longs = ends.toDF("l")
    longs.createOrReplaceTempView("longs")
    longs
      .selectExpr("timestamp_micros(l) AS ts", "cast(l DIV 4294967296 AS INT) AS i")
      .createOrReplaceTempView("others")
  }

  /** The same condition in decimals, where nothing overflows, says what is right. */
  private def wide(column: String, lower: Long, upper: Long): String =
    s"cast(b.$column AS DECIMAL(30)) - cast(a.$column AS DECIMAL(30)) BETWEEN $lower AND $upper"

  private def assertDefined(select: String, table: String, ours: String, right: String): Unit = {
    def query(condition: String) = s"SELECT $select FROM $table a JOIN $table b ON $condition"
    val raised = plainSpark(intercept[Exception](spark.sql(query(ours)).collect()))
    assert(causes(raised).exists(_.isInstanceOf[ArithmeticException]), raised)
    val df = spark.sql(query(ours))
    assert(rowsOf(df) == plainSpark(rowsOf(spark.sql(query(right)))), ours)
    assert(windowJoins(df).size == 1)
  }

  private val inLongs = Seq(
    "b.l BETWEEN a.l - 5 AND a.l + 5" -> wide("l", -5, 5),
    "abs(a.l - b.l) <= 5" -> wide("l", -5, 5),
    "b.l - a.l >= -4 AND b.l - a.l <= 9223372036854775807" -> wide("l", -4, Long.MaxValue),
    "b.l BETWEEN a.l + 9223372036854775807 AND a.l + 9223372036854775807" ->
      wide("l", Long.MaxValue, Long.MaxValue)
  )

  inLongs.foreach { case (condition, right) =>
    test(s"where plain Spark's arithmetic overflows: $condition") {
      assertDefined("a.l, b.l", "longs", condition, right)
    }
  }

  test("where plain Spark's arithmetic on INT overflows") {
    assertDefined("a.i, b.i", "others", "b.i BETWEEN a.i - 5 AND a.i + 5", wide("i", -5, 5))
  }

  test("at the ends of the range of timestamps") {
    val micros = "cast(unix_micros(b.ts) AS DECIMAL(30)) - cast(unix_micros(a.ts) AS DECIMAL(30))"
    assertDefined(
      "unix_micros(a.ts), unix_micros(b.ts)",
      "others",
      "b.ts BETWEEN a.ts - INTERVAL 5 MICROSECONDS AND a.ts + INTERVAL 5 MICROSECONDS",
      s"$micros BETWEEN -5 AND 5"
    )
  }

  test("an exception inside the condition ends the query with that exception") {
    val condition = "abs(a.l - b.l) <= 5 AND if(a.l = 3, raise_error('three'), true)"
    val failed = intercept[Exception with SparkThrowable] {
      spark.sql(s"SELECT count(*) FROM longs a JOIN longs b ON $condition").collect()
    }
    assert(causes(failed).exists(_.getMessage.contains("three")))
    assert(spark.sql("SELECT count(*) FROM longs").head().getLong(0) == ends.size)
  }

  test("empty inputs give no rows") {
    Seq("r" -> "s", "s" -> "r").foreach { case (empty, full) =>
      val query =
        s"SELECT a.id, b.id FROM (SELECT * FROM $empty WHERE i > 1000) a JOIN $full b ON "
      assert(spark.sql(query + "abs(a.i - b.i) <= 3").isEmpty)
      assert(spark.sql(query + "a.k = b.k AND abs(a.i - b.i) <= 3").isEmpty)
    }
  }

  test("the hint where no bound can be read says so by type") {
    val condition = "s.name BETWEEN r.name AND concat(r.name, 'z')"
    val expected = "name is STRING"
    val refused = intercept[IllegalArgumentException] {
      spark
        .sql(s"SELECT /*+ WINDOW_JOIN */ r.id FROM r JOIN s ON r.k = s.k AND $condition")
        .collect()
    }
    assert(refused.getMessage.contains(expected), refused.getMessage)
    val run = s"SELECT /*+ WINDOW_JOIN */ r.id FROM r JOIN s ON $condition"
    val why = windowJoins(spark.sql(run)).head.description
    assert(why.endsWith(s"(nothing is bounded that can be read: $expected)"))
  }

  private def refusal(hint: String, on: String, joinType: String = ""): String =
    intercept[IllegalArgumentException](
      spark.sql(s"SELECT /*+ $hint */ r.id FROM r $joinType JOIN s ON $on").collect()
    ).getMessage

  test("a layout without cells, or with more than sense, is refused") {
    for (layout <- Seq("0x3", "3x0", "00x00", "1025x1", "33x32", "99999999999x1")) {
      val expected =
        s"a layout of $layout cells is none: give rows and columns from 1 on, and no more " +
          "than 1024 cells"
      assert(refusal(s"WINDOW_JOIN('matrix', '$layout')", "r.i < s.i").contains(expected))
      withSettings(ScaleGateConf.JoinLayout -> layout) {
        assert(refusal("WINDOW_JOIN", "r.i < s.i").contains(expected))
      }
    }
  }

  test("what is no layout is refused") {
    for (layout <- Seq("2x", "x3", "2,3", "-1x2", "2x3x4", "two by three")) {
      val inHint = refusal(s"WINDOW_JOIN(r, s, 'matrix', '$layout')", "r.i < s.i")
      assert(inHint.contains("WINDOW_JOIN(r, s, 'matrix', '2x3') */; it was given ("), layout)
      withSettings(ScaleGateConf.JoinLayout -> layout) {
        val set = refusal("WINDOW_JOIN", "r.i < s.i")
        assert(set.contains(s"must be auto or rows x columns of cells, as in 2x3, not '$layout'"))
      }
    }
    assert(refusal("WINDOW_JOIN('2x3', '3x2')", "r.i < s.i").contains("at most one quoted"))
  }

  test("a layout for another algorithm than the matrix is refused") {
    for (algorithm <- Seq("broadcast", "index", "sweep")) {
      val message = refusal(s"WINDOW_JOIN('$algorithm', '2x3')", "abs(r.i - s.i) <= 3")
      assert(message.contains(s"the layout 2 x 3 and the algorithm '$algorithm', which has none"))
    }
  }

  test(
    "a layout that spreads a row that is decided in one cell is refused with one that does not"
  ) {
    for ((joinType, linear) <- Seq("LEFT" -> "6x1", "RIGHT" -> "1x6", "LEFT ANTI" -> "6x1")) {
      val message = refusal("WINDOW_JOIN('2x3')", "r.i < s.i", joinType)
      assert(message.contains(s"side in one cell, as in a layout of $linear. Ask for another"))
    }
  }

  test("a matrix, and what needs a bound, is refused with the reason where it cannot be") {
    val keyed = refusal("WINDOW_JOIN('matrix')", "r.k = s.k AND abs(r.i - s.i) <= 3")
    assert(keyed.contains("'matrix') cannot run this join: rows with equal keys are brought"))
    for (algorithm <- Seq("index", "sweep")) {
      val message = refusal(s"WINDOW_JOIN('$algorithm')", "r.i < s.i")
      assert(message.contains("nothing is bounded, so every row must meet every other"))
    }
    for ((layout, halfs) <- Seq("1x6" -> "left", "2x3" -> "left")) {
      val full = refusal(s"WINDOW_JOIN('$layout')", "r.i < s.i", "FULL")
      assert(full.contains(s"this join decides each row of its $halfs side in one cell"))
    }
  }

  test("neighbouring floating-point numbers around the powers of two") {
    val session = spark
    import session.implicits._
    val near = (-3 to 20).map(e => math.pow(2, e.toDouble).toFloat).flatMap { p =>
      Iterator.iterate(Math.nextDown(Math.nextDown(p)))(Math.nextUp(_)).take(5)
    }
    near.toDF("f").selectExpr("f", "-cast(f AS DOUBLE) AS x").createOrReplaceTempView("powers")
    withSettings("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
      Seq(
        "abs(a.f - b.f) <= 0",
        "abs(a.f - b.f) <= 0.5",
        "b.f BETWEEN a.f - 0.1 AND a.f + 3",
        "abs(a.x - b.x) <= 0",
        "b.x - a.x BETWEEN -0.1 AND 2"
      ).foreach { condition =>
        assertJoins(s"SELECT a.f, b.f FROM powers a JOIN powers b ON $condition")
      }
    }
  }
}
