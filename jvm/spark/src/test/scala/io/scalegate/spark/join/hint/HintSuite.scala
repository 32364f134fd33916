package io.scalegate.spark.join.hint

import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.functions.{abs, col}

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.settings.ScaleGateConf

/** The hint WINDOW_JOIN, in SQL and on DataFrames. With `SCALEGATE_SOAK` what is constant on which side, types of join and
  * algorithms are all combined; otherwise two of these are, with another of the third for each.
  */
final class HintSuite extends SparkJoinSuite {
  private def fails(query: String): String =
    intercept[IllegalArgumentException](spark.sql(query).collect()).getMessage

  test("the hint names the two sides of a join by alias") {
    assertJoins(
      "SELECT /*+ WINDOW_JOIN(a, b) */ a.id, b.id FROM r a JOIN s b ON abs(a.i - b.i) <= 3"
    )
  }

  test("the hint names tables, in any order and case") {
    assertJoins("SELECT /*+ window_join(S, R) */ r.id, s.id FROM r JOIN s ON abs(r.i - s.i) <= 3")
  }

  test("the hint without arguments belongs to the query block's join") {
    assertJoins("SELECT /*+ WINDOW_JOIN */ r.id, s.id FROM r JOIN s ON abs(r.i - s.i) <= 3")
  }

  test("the hint names the relations of its own query block") {
    for (inner <- Seq("r.k = s.k", "abs(r.i - s.i) <= 2"))
      assertJoins("SELECT /*+ WINDOW_JOIN(r, s, 'matrix') */ r.id, s.id " +
        s"FROM (SELECT r.id, r.i FROM r JOIN s ON $inner) r JOIN s ON abs(r.i - s.i) <= 3")
    assert(fails(
      "SELECT /*+ WINDOW_JOIN(r, s) */ a.id FROM (SELECT r.id FROM r JOIN s ON r.i < s.i) a"
    )
      .startsWith("WINDOW_JOIN"))
  }

  test("the hint leaves no filter behind where an equality makes the two sides' columns one") {
    val query =
      "SELECT /*+ WINDOW_JOIN(r, s) */ r.id, s.id FROM r JOIN s ON r.id = s.id AND abs(r.i - s.i) <= 30"
    assertJoins(query)
    val optimized = spark.sql(query).queryExecution.optimizedPlan
    val filters = optimized.collect { case f: Filter => f.condition.sql }
    assert(filters.nonEmpty && !filters.exists(_.contains("window_join_requested")))
  }

  test("the hint is followed where a side's columns are constants") {
    for {
      (how, i) <- Seq("", "LEFT", "RIGHT", "LEFT SEMI", "LEFT ANTI").zipWithIndex
      ((left, right), j) <- Seq(
        "(SELECT 1 AS i)" -> "s",
        "r" -> "(SELECT 1 AS i)",
        "(SELECT 1 AS i)" -> "(SELECT 2 AS i)"
      ).zipWithIndex if Sample.isSoak || (i + j) % 3 < 2
    } {
      val text =
        s"SELECT /*+ WINDOW_JOIN('matrix') */ a.i FROM $left a $how JOIN $right b ON a.i < b.i"
      assertJoins(text)
      assert(windowJoins(spark.sql(text)).head.description.contains("matrix of "), text)
    }
    assertJoins(
      "SELECT /*+ WINDOW_JOIN(a, b) */ a.i, b.id FROM (SELECT 1 AS i) a JOIN s b ON abs(a.i - b.i) <= 3 " +
        "JOIN r c ON c.id = b.id"
    )
  }

  // What bounds the difference bounds one side's rows then.
  for {
    ((name, left, right), i) <- Seq(
      ("the left time", "(SELECT i, TIMESTAMP'2013-03-10 06:30:00' AS ts, 5 AS l FROM r)", "s"),
      ("the right time", "r", "(SELECT i, TIMESTAMP'2013-03-10 06:30:00' AS ts, 5L AS l FROM s)"),
      ("a NULL time", "r", "(SELECT i, CAST(NULL AS TIMESTAMP) AS ts, l FROM s)")
    ).zipWithIndex
    (how, j) <- Seq("", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI").zipWithIndex
    algorithm <- Sample.turn(Seq("", "('sweep')", "('kp')"), i + j)
  }
    test(
      s"rows have equal keys, and $name is the same in all, $how JOIN by WINDOW_JOIN$algorithm"
    ) {
      val query =
        s"SELECT /*+ WINDOW_JOIN$algorithm */ a.i, a.ts FROM $left a $how JOIN $right b ON a.i = b.i AND " +
          "b.ts BETWEEN a.ts - INTERVAL 1 HOUR AND a.ts + INTERVAL 2 HOURS"
      assert(rowsOf(spark.sql(query)) == plainSpark(rowsOf(spark.sql(query))))
    }

  test("keys alone are no window, nor is what one side's rows are bounded by") {
    for (more <- Seq("", " AND a.l > 3", " AND a.k = b.k"))
      assert(fails(s"SELECT /*+ WINDOW_JOIN */ a.i FROM r a JOIN s b ON a.i = b.i$more")
        .startsWith("WINDOW_JOIN needs, where rows have equal keys, a condition"))
  }

  test("the hint wins over one of Spark's own") {
    assertJoins(
      "SELECT /*+ WINDOW_JOIN(r, s), BROADCAST(s) */ r.id, s.id FROM r JOIN s ON abs(r.i - s.i) <= 3"
    )
  }

  test("a DataFrame's hint travels through what is done to it before the join") {
    val (r, s) = (spark.table("r"), spark.table("s"))
    val df =
      r.hint("WINDOW_JOIN").select("id", "i").where("i > -100").join(s, abs(r("i") - s("i")) <= 3)
    assert(windowJoins(df).size == 1)
  }

  test("a DataFrame's hint is about what it goes into, not about the joins that it is made of") {
    def r = spark.table("r")
    def s = spark.table("s")
    val near = r.join(s.select(s("i").as("near_i")), abs(col("i") - col("near_i")) <= 3)
    for (
      (made, joins) <- Seq(r.join(s.select("k"), "k") -> 1, near -> 2, near.where("id > 3") -> 2)
    ) {
      val df = made.hint("WINDOW_JOIN", "matrix").join(
        s.select(s("l").as("near_l")),
        abs(col("l") - col("near_l")) <= 3
      )
      val run = windowJoins(df).map(_.description)
      assert(run.size == joins, made)
      assert(run.count(_.contains("matrix of ")) == 1 && run.head.contains("near_l - "), made)
      assert(rowsOf(df) == plainSpark(rowsOf(df)))
    }
  }

  test("a DataFrame with the hint and no join is itself") {
    assert(rowsOf(spark.table("r").hint("WINDOW_JOIN")) == rowsOf(spark.table("r")))
  }

  for (hint <- Seq("WINDOW_JOIN", "WINDOW_JOIN('index')"))
    test(s"a correlated subquery may have the hint $hint") {
      for (
        query <- Seq(
          s"SELECT id FROM r WHERE EXISTS (SELECT /*+ $hint */ 1 FROM s WHERE abs(r.i - s.i) <= 1)",
          s"SELECT id FROM r WHERE l IN (SELECT /*+ $hint */ l FROM s WHERE abs(r.i - s.i) <= 9)",
          s"SELECT id, (SELECT /*+ $hint */ count(*) FROM s WHERE s.k = r.k) FROM r",
          s"SELECT id, (SELECT /*+ $hint */ max(l) FROM s WHERE s.k = r.k GROUP BY s.k) FROM r",
          s"SELECT r.id, a.id FROM r, LATERAL (SELECT /*+ $hint */ id FROM s WHERE abs(r.i - s.i) <= 1) a"
        )
      ) assert(rowsOf(spark.sql(query)) == plainSpark(rowsOf(spark.sql(query))), query)
    }

  test("a switched-off package ignores the hint") {
    withSettings(ScaleGateConf.Enabled -> "false") {
      val df =
        spark.sql("SELECT /*+ WINDOW_JOIN(r, s) */ r.id FROM r JOIN s ON abs(r.i - s.i) <= 3")
      assert(windowJoins(df).isEmpty)
      assert(df.count() > 0)
    }
  }

  test("a hint on a join with equal keys and no bounded difference says what one looks like") {
    val message =
      fails("SELECT /*+ WINDOW_JOIN(r, s) */ r.id FROM r JOIN s ON r.k = s.k AND r.i < s.i")
    assert(message.contains("where rows have equal keys, a condition that bounds a difference"))
    assert(message.contains("r.i < s.i"))
    assert(message.endsWith("Without the hint Spark joins by the keys"))
  }

  Seq("LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI").foreach { joinType =>
    test(s"the hint on a $joinType JOIN") {
      assertJoins(
        s"SELECT /*+ WINDOW_JOIN(r, s) */ r.id, r.i FROM r $joinType JOIN s ON abs(r.i - s.i) <= 3"
      )
    }
  }

  test("a hint that names an unknown relation lists the known ones") {
    val message =
      fails("SELECT /*+ WINDOW_JOIN(r, q) */ r.id FROM r JOIN s ON abs(r.i - s.i) <= 3")
    assert(message.contains("WINDOW_JOIN(q, r)"))
    assert(message.contains("its relations are r, s"))
  }

  test("a hint argument that is no relation is refused") {
    val message =
      fails("SELECT /*+ WINDOW_JOIN(r, s, 4) */ r.id FROM r JOIN s ON abs(r.i - s.i) <= 3")
    assert(message.contains("takes no arguments or the names of the two relations"))
  }
}
