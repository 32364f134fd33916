package io.scalegate.spark.join.operator

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.settings.ScaleGateConf

/** Joins of an input with itself, by operators that keep one window of it, beside plain Spark's. With `SCALEGATE_SOAK` each
  * operator runs all conditions; otherwise some of them, so that any few operators in a row run all.
  */
final class SelfJoinSuite extends SparkJoinSuite {
  private val near = "b.ts BETWEEN a.ts - INTERVAL 3 HOURS AND a.ts + INTERVAL 3 HOURS"
  private val operators = Seq("pim1", "pim", "im", "bplus", "chained")
  private val conditions = Seq(
    "an even window" -> near,
    "an even window and bands" -> s"$near AND abs(a.i - b.i) <= 20 AND abs(a.l - b.l) <= 8",
    "an even window and a band of fractions" -> s"$near AND abs(a.x - b.x) <= 7.5",
    "a window that is longer to one side" ->
      "b.ts BETWEEN a.ts - INTERVAL 3 HOURS AND a.ts + INTERVAL 5 HOURS",
    "a window and a band to one side" ->
      "b.ts >= a.ts AND b.ts < a.ts + INTERVAL 5 HOURS AND b.i BETWEEN a.i - 4 AND a.i + 19",
    "a window that begins later" ->
      "b.ts BETWEEN a.ts + INTERVAL 1 HOUR AND a.ts + INTERVAL 5 HOURS",
    "a window that ends before" -> "b.l BETWEEN a.l - 12 AND a.l - 3",
    "each pair once" -> s"$near AND a.id < b.id",
    "any predicate" -> s"$near AND a.id % 3 <> b.id % 4 AND a.name <> b.name",
    "a key" -> s"a.k = b.k AND $near",
    "a key of text and each pair once" -> s"a.name = b.name AND $near AND a.id < b.id",
    "two keys and a band" -> s"a.k = b.k AND a.name = b.name AND $near AND abs(a.i - b.i) <= 9"
  )

  private def selfJoins(df: DataFrame): Seq[OperatorSelfJoinExec] =
    collect(executed(df)) { case o: OperatorSelfJoinExec => o }

  private def query(operator: String, condition: String, input: String = "r") =
    s"SELECT /*+ WINDOW_JOIN('$operator') */ a.*, b.* FROM $input a JOIN $input b ON $condition"

  for ((operator, n) <- operators.zipWithIndex)
    test(s"'$operator' gives the rows of plain Spark, of an input that is read once") {
      for (
        ((name, condition), i) <- conditions.zipWithIndex; if Sample.isSoak || i % 4 == n % 4
      ) {
        val df = assertedJoin(query(operator, condition))
        assert(selfJoins(df).map(_.operator.operator.name) == Seq(operator), name)
        assert(executed(df).toString.contains("over one input"), name)
      }
    }

  for (option <- Seq("dimensions=2", "inputs=3", "threads=3", "task_size=2"))
    test(s"'pim($option)' gives the rows of plain Spark") {
      val condition = s"$near AND abs(a.i - b.i) <= 20 AND abs(a.l - b.l) <= 8 AND a.id <> b.id"
      val df = assertedJoin(query(s"pim($option)", condition))
      val told = if (option == "threads=3") "on 3 threads" else option
      assert(selfJoins(df).size == 1 && executed(df).toString.contains(told))
    }

  test("the rows lie by the keys of both sides") {
    val joined =
      s"SELECT /*+ WINDOW_JOIN('pim') */ a.k AS k, b.k AS other, a.id FROM r a JOIN r b " +
        s"ON a.k = b.k AND $near"
    for (key <- Seq("k", "other")) {
      val df = spark.sql(s"SELECT $key, count(*) FROM ($joined) GROUP BY $key")
      val expected =
        plainSpark(rowsOf(spark.sql(s"SELECT $key, count(*) FROM ($joined) GROUP BY $key")))
      assert(rowsOf(df) == expected && selfJoins(df).size == 1)
      assert(collect(executed(df)) { case e: ShuffleExchangeLike => e }.size == 1, key)
    }
  }

  test("what stands around it: filters, a union with its mirror image, a limit, a join above") {
    val some = "(SELECT id, ts, i, k FROM r WHERE i % 2 = 0)"
    val self = query("pim", s"$near AND abs(a.i - b.i) <= 20", some)
    val pairs = self.replace("a.*, b.*", "a.id AS p, b.id AS q")
    for (
      around <- Seq(
        s"SELECT p, count(*), max(q) FROM ($pairs) GROUP BY p",
        s"$pairs UNION ALL $pairs",
        s"SELECT count(*) FROM (SELECT * FROM ($pairs) LIMIT 7)",
        s"SELECT x.p, x.q, s.id FROM ($pairs) x JOIN s ON abs(x.p - s.id) <= 1 AND x.q <> s.id",
        s"SELECT DISTINCT q FROM ($pairs) WHERE p <> q ORDER BY q DESC"
      )
    ) {
      val df = spark.sql(around)
      val expected = plainSpark(rowsOf(spark.sql(around)))
      assert(rowsOf(df) == expected, around)
      assert(selfJoins(df).nonEmpty, around)
    }
  }

  for {
    (what, select, condition) <- Seq(
      ("more columns of the left row", "a.id, a.x, b.ts", near),
      ("more columns of the right row", "b.name, a.ts, b.id", near),
      ("a filter on the left row", "a.id, b.id, b.i", s"$near AND a.i > 3"),
      ("a filter on the right row", "a.id, b.id, a.i", s"$near AND b.i > 3 AND a.id < b.id"),
      ("other names", "a.id AS one, b.id AS other, a.ts AS at", near)
    )
  } test(s"the input that has all of the other is read once: $what") {
    val df =
      assertedJoin(s"SELECT /*+ WINDOW_JOIN('pim') */ $select FROM r a JOIN r b ON $condition")
    assert(selfJoins(df).size == 1)
  }

  test("columns that are computed or renamed are those of one input") {
    val moved = "(SELECT id AS n, ts + INTERVAL 1 HOUR AS t, i * 2 AS v FROM r)"
    val other = "(SELECT ts + INTERVAL 1 HOUR AS at, id AS m, i * 2 AS w FROM r)"
    val df = assertedJoin(
      s"SELECT /*+ WINDOW_JOIN('pim') */ n, m, v, w FROM $moved a JOIN $other b ON " +
        "b.at BETWEEN a.t - INTERVAL 2 HOURS AND a.t AND abs(v - w) <= 30"
    )
    assert(selfJoins(df).size == 1)
  }

  test("inputs of which neither has all of the other are two") {
    for (
      other <- Seq(
        "SELECT /*+ WINDOW_JOIN('pim') */ a.id, b.name FROM r a JOIN r b ON " + near,
        query("pim", s"$near AND a.i > 3 AND b.i > 4"),
        query(
          "pim",
          "b.ts BETWEEN a.ts - INTERVAL 3 HOURS AND a.ts AND b.l - a.i BETWEEN 0 AND 9"
        ),
        query("pim", s"a.k = b.i AND $near"),
        s"SELECT /*+ WINDOW_JOIN('pim') */ a.id, s.id FROM r a JOIN s ON ${near.replace("b.", "s.")}"
      )
    ) {
      val df = assertedJoin(other)
      assert(selfJoins(df).isEmpty, other)
    }
  }

  test("a join that asks for each row's decision has two inputs") {
    for (how <- Seq("LEFT", "LEFT SEMI", "LEFT ANTI")) {
      val columns = if (how == "LEFT") "a.id, b.id" else "a.id"
      val df = assertedJoin(
        s"SELECT /*+ WINDOW_JOIN('pim') */ $columns FROM r a $how JOIN r b ON $near AND a.id < b.id"
      )
      assert(selfJoins(df).isEmpty, how)
    }
  }

  test("rows whose time or attribute is NULL match nothing, not even themselves") {
    val rows =
      "(SELECT id, IF(id % 3 = 0, NULL, id) AS t, IF(id % 4 = 0, NULL, id) AS v FROM range(60))"
    for (condition <- Seq("abs(a.t - b.t) <= 5", "abs(a.t - b.t) <= 5 AND abs(a.v - b.v) <= 3"))
      assert(selfJoins(assertedJoin(query("pim1", condition, rows))).size == 1)
  }

  test("days that wrap around match what plain Spark says they do") {
    val ends =
      "(SELECT id, date_from_unix_date(CAST(IF(id < 9, id - 2147483648, 2147483629 + id) AS INT)) AS d, " +
        "timestamp_seconds(id) AS ts FROM (SELECT CAST(id AS INT) AS id FROM range(19) WHERE id <> 9))"
    for (days <- Sample.some(Seq("2", "1", "3"), 2)) {
      val near = s"b.d BETWEEN date_sub(a.d, $days) AND date_add(a.d, $days)"
      val all = "b.ts BETWEEN a.ts - INTERVAL 1 MINUTE AND a.ts + INTERVAL 1 MINUTE"
      val ids = query("pim", s"$near AND $all", ends).replace("a.*, b.*", "a.id, b.id")
      assert(selfJoins(assertedJoin(ids)).size == 1)
    }
  }

  test("an input without rows, and one whose rows all lie at one time") {
    val none = "(SELECT * FROM r WHERE id < 0)"
    val once = "(SELECT id, k, i, timestamp_seconds(9) AS ts FROM r)"
    for {
      (more, i) <- Seq("", " AND a.id < b.id", " AND a.k = b.k").zipWithIndex
      rows <- Seq(none, once) if Sample.isSoak || i == 2 || (rows == none) == (i == 0)
    } {
      val asked = query("pim", s"$near AND abs(a.i - b.i) <= 5$more", rows)
      val counted = s"SELECT count(*), sum(a.id - b.id) ${asked.drop(asked.indexOf("FROM"))}"
      val hinted = counted.replace("SELECT", "SELECT /*+ WINDOW_JOIN('pim') */")
      assert(rowsOf(spark.sql(hinted)) == plainSpark(rowsOf(spark.sql(counted))), hinted)
    }
  }

  test("adaptive execution asks again when the input has run, and it is still one") {
    withSettings(
      "spark.sql.adaptive.enabled" -> "true",
      "spark.sql.adaptive.forceApply" -> "true",
      ScaleGateConf.JoinAlgorithm -> "pim"
    ) {
      val grouped = "(SELECT k, i, max(ts) AS ts FROM r GROUP BY k, i)"
      val df = assertedJoin(query("pim", s"$near AND abs(a.i - b.i) <= 20", grouped))
      assert(selfJoins(df).size == 1)
      assert(collect(executed(df)) { case e: ShuffleExchangeLike => e }.size <= 2)
    }
  }

  test("its metrics count each row once for each side") {
    val df = spark.sql(query("pim", s"$near AND abs(a.i - b.i) <= 20"))
    df.collect()
    val join = selfJoins(df).head
    val timed = spark.sql("SELECT count(ts) FROM r WHERE i IS NOT NULL").head().getLong(0)
    assert(join.work.map(_.rows.left).sum == join.work.map(_.rows.right).sum)
    assert(join.work.map(_.rows.left).sum == timed)
    assert(join.metrics("rowsKept").value == timed && join.metrics("comparisons").value > 0)
  }
}
