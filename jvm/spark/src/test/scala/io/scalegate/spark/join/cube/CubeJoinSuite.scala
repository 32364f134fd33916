package io.scalegate.spark.join.cube

import org.apache.spark.sql.DataFrame

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite

/** Joins of three inputs that a hint asks a cube for, beside plain Spark's two joins. With `SCALEGATE_SOAK` each in two
  * layouts; otherwise in one, by turns.
  */
final class CubeJoinSuite extends SparkJoinSuite {
  private def near(a: String, b: String, hours: Int = 3) =
    s"$b.ts BETWEEN $a.ts - INTERVAL $hours HOURS AND $a.ts + INTERVAL $hours HOURS"

  private def planned(df: DataFrame): Seq[CubeJoinExec] =
    collect(executed(df)) { case c: CubeJoinExec => c }

  private def query(
      on: String,
      hint: String = "CUBE_JOIN",
      from: String = "r, s, r AS t",
      columns: String = "r.id AS a, s.id AS b, t.id AS c, s.x, t.name"
  ) = s"SELECT /*+ $hint */ $columns FROM $from WHERE $on"

  private val all = s"${near("r", "s")} AND ${near("s", "t")} AND ${near("r", "t")}"

  for (
    ((name, on), i) <- Seq(
      "windows of all pairs" -> s"$all AND r.id % 7 = t.id % 7 AND r.id % 7 = s.id % 7",
      "windows of two pairs, and bands" ->
        s"${near("r", "s")} AND ${near("s", "t", 5)} AND abs(r.i - s.i) <= 20 AND abs(s.x - t.x) <= 9",
      "a band between each" -> s"$all AND abs(r.i - s.i) <= 30 AND abs(t.i - s.i) <= 30 AND t.i - r.i BETWEEN 0 AND 9",
      "a window to one side, and any condition" ->
        ("s.ts > r.ts AND s.ts <= r.ts + INTERVAL 4 HOURS AND t.ts >= s.ts AND t.ts < s.ts + INTERVAL 2 HOURS " +
          "AND r.i + s.i > t.i AND r.name <> t.name"),
      "whole numbers" -> "s.l BETWEEN r.l - 1 AND r.l + 1 AND t.l - s.l BETWEEN 0 AND 1 AND r.i < t.i",
      "a key, and conditions on one" -> s"$all AND r.k = s.k AND s.k = t.k AND r.i > 3 AND t.x IS NOT NULL",
      "days" -> "s.d BETWEEN date_sub(r.d, 1) AND date_add(r.d, 1) AND t.d = s.d AND r.i + t.i < s.i"
    ).zipWithIndex;
    hint <- Sample.turn(Seq("CUBE_JOIN('2x1x1')", "CUBE_JOIN('1x2x2')"), i)
  ) test(s"$name, by $hint: the rows of two joins") {
    val df = spark.sql(query(on, hint))
    val plain = plainSpark(rowsOf(spark.sql(query(on, hint))))
    assert(rowsOf(df) == plain && plain.nonEmpty)
    assert(planned(df).size == 1)
  }

  test("joins may be written as joins, nested either way, and read by an aggregate") {
    for (
      from <- Seq(
        s"r JOIN s ON ${near("r", "s")} JOIN r AS t ON ${near("s", "t")}",
        s"r JOIN (s CROSS JOIN r AS t) ON ${near("r", "s")} AND ${near("s", "t")}",
        "r JOIN s USING (k) JOIN r AS t USING (k)"
      )
    ) {
      val asked =
        query(
          s"abs(r.i - t.i) <= 10 AND $all",
          from = from,
          columns = "count(*), max(t.x), min(s.id)"
        )
      val df = spark.sql(asked)
      assert(rowsOf(df) == plainSpark(rowsOf(spark.sql(asked))))
      assert(planned(df).nonEmpty, from)
    }
  }

  test("EXPLAIN names windows, bands and the cube") {
    val plan =
      planned(spark.sql(query(s"$all AND abs(r.i - s.i) <= 1", "CUBE_JOIN('1x3x2')"))).head
    val shown = plan.simpleString(100)
    assert(shown.contains("s.ts - r.ts in ["), shown)
    assert(shown.contains("3 hours]"), shown)
    assert(shown.contains("; bands: s.i - r.i in [-1, 1]; "), shown)
    assert(shown.contains("cube of 1 x 3 x 2 workers in one task"), shown)
  }

  test("windows that exclude each other let nothing through") {
    val on = "s.ts >= r.ts + INTERVAL 2 HOURS AND s.ts <= r.ts + INTERVAL 3 HOURS AND " +
      "t.ts >= s.ts AND t.ts <= s.ts + INTERVAL 1 HOUR AND t.ts <= r.ts AND t.ts >= r.ts - INTERVAL 1 HOUR"
    assert(rowsOf(spark.sql(query(on))) == Nil)
  }

  for (
    (what, on, hint, from, why) <- Seq(
      (
        "arguments are no layout",
        all,
        "CUBE_JOIN('2x2')",
        "r, s, r AS t",
        "a layout of three numbers"
      ),
      (
        "there are two inputs",
        near("r", "s"),
        "CUBE_JOIN",
        "r, s",
        "of three inputs, and this is one of 2"
      ),
      (
        "no times hang together",
        s"${near("r", "s")} AND r.id < t.id",
        "CUBE_JOIN",
        "r, s, r AS t",
        "two bounds at least"
      ),
      (
        "a condition is not deterministic",
        s"$all AND rand() < 0.5",
        "CUBE_JOIN",
        "r, s, r AS t",
        "rand("
      )
    )
  ) test(s"it is refused where $what") {
    val columns = if (from.contains("t")) "r.id AS a, s.id AS b" else "r.id AS a"
    val e = intercept[Exception](spark.sql(query(on, hint, from, columns)).collect())
    assert(
      Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).exists(
        _.getMessage.contains(why)
      ),
      e
    )
  }
}
