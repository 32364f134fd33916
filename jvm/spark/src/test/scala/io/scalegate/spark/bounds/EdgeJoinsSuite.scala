package io.scalegate.spark.bounds

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.settings.ScaleGateConf

/** Joins whose bounds lie at the edges of their types, by every algorithm, against plain Spark: with `SCALEGATE_SOAK` of
  * every type, otherwise each type by another.
  */
final class EdgeJoinsSuite extends SparkJoinSuite {
  override protected def settings: Map[String, String] = SmallTables

  private val least = "-9223372036854775808"

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    def view(name: String, columns: String, rows: String) =
      spark.sql(s"CREATE OR REPLACE TEMP VIEW $name AS SELECT * FROM VALUES $rows AS t($columns)")
    view(
      "longs",
      "id, k, y",
      s"(1, 1, ${least}L), (2, 1, 5L), (3, 1, 9223372036854775807L), (4, 2, 0L), " +
        "(5, 1, 4611686018427387906L), (6, 1, -4611686018427387904L), (7, 1, 1L)"
    )
    view(
      "floats",
      "id, f",
      "(1, 100.3F), (2, 0.1F), (3, 16777216F), (4, float('nan')), (5, float('-inf')), (6, 256.3F), (7, 256.7F)"
    )
    view(
      "doubles",
      "id, d",
      "(1, 100.5D), (2, CAST(100.3F + 0.2F AS DOUBLE)), (3, CAST(0.1F - 0.2F AS DOUBLE)), " +
        "(4, 16777216D), (5, double('nan')), (6, double('-inf')), (7, 256.5D)"
    )
    view(
      "ints",
      "id, i",
      "(1, 1073741824), (2, 1073741825), (3, 1), (4, 6), (5, 2147483647), (6, NULL)"
    )
    view("far", "id, x", "(1, 1D), (2, 9D), (3, 1e17D), (4, -4D)")
    view(
      "dates",
      "id, d",
      "(1, date'2020-01-01'), (2, date_add(date'1970-01-01', 2147483647)), " +
        "(3, date_add(date'1970-01-01', -2147483647)), (4, date'2020-01-03'), (5, date'1999-12-31')"
    )
    ()
  }

  private def onDecimals(more: String) =
    "FROM longs a %s JOIN longs b ON a.k = b.k AND CAST(b.y AS DECIMAL(30, 0)) >= " +
      s"CAST(a.y AS DECIMAL(30, 0)) - $more AND CAST(b.y AS DECIMAL(30, 0)) <= CAST(a.y AS DECIMAL(30, 0)) - 3"

  private val joins: Seq[(String, String)] = Seq(
    "a key out of range before others" -> onDecimals("7"),
    "a wide band" -> onDecimals("500000000000000000"),
    "floats beside a double" -> "FROM floats a %s JOIN doubles b ON b.d BETWEEN a.f - 0.2F AND a.f + 0.2F",
    "integers whose sum is rounded" ->
      "FROM ints a %s JOIN ints b ON b.i BETWEEN a.i + 1e-9D AND a.i + 5D",
    "an integer bound that is rounded" ->
      "FROM ints a %s JOIN ints b ON b.i BETWEEN a.i AND a.i + 0.9999999999999999D",
    "offsets on both sides" -> ("FROM far a %s JOIN far b ON -(a.x + 1e17D) >= -(b.x + 1e17D) AND " +
      "-(a.x + 1e17D) <= -(b.x + 1e17D) + 5"),
    "days that wrap around" -> "FROM dates a %s JOIN dates b ON abs(datediff(a.d, b.d)) <= 2",
    "days that follow" -> "FROM dates a %s JOIN dates b ON b.d BETWEEN date_add(a.d, 1) AND date_add(a.d, 2)",
    "a bound that wraps around" ->
      "FROM dates a %s JOIN dates b ON b.d BETWEEN a.d AND date_add(a.d, 2147483647)"
  )

  for (((what, from), i) <- joins.zipWithIndex)
    test(s"$what: every join type by every algorithm") {
      for {
        ((how, columns), j) <-
          Seq("" -> "a.id, b.id", "LEFT" -> "a.id, b.id", "LEFT ANTI" -> "a.id").zipWithIndex
        expected = plainSpark(rowsOf(spark.sql(s"SELECT $columns ${from.format(how)}")))
        algorithm <- Sample.turn(Seq("broadcast", "index", "sweep"), i + j)
      } {
        val query = s"SELECT /*+ WINDOW_JOIN('$algorithm') */ $columns ${from.format(how)}"
        val df = spark.sql(query)
        assert(rowsOf(df) == expected, query)
        val joined = windowJoins(df)
        assert(joined.nonEmpty && joined.forall(_.description.contains("window: ")), query)
      }
    }

  test("a bound that 64 bits do not hold is not read as one") {
    val from =
      "FROM longs a JOIN longs b ON b.y - 4611686018427387904 >= a.y + 4611686018427387905 " +
        "AND b.y - 4611686018427387904 <= a.y + 4611686018427387915"
    val small = from
      .replace("longs a", "(SELECT * FROM longs WHERE y < 5 AND k = 1) a")
      .replace("longs b", "(SELECT * FROM longs WHERE y BETWEEN 0 AND 4611686018427387906) b")
    assertJoins(s"SELECT a.id, b.id $small")
  }

  test("integers that are too small to wrap around are bounded with ANSI mode off, too") {
    withSettings("spark.sql.ansi.enabled" -> "false") {
      assertJoins(
        "SELECT r.id, s.id FROM r JOIN s ON abs(CAST(r.i AS BIGINT) - CAST(s.i AS BIGINT)) <= 3"
      )
      assertJoins(
        "SELECT r.id, s.id FROM r JOIN s ON CAST(s.h AS INT) BETWEEN CAST(r.h AS INT) - 3 AND CAST(r.h AS INT) + 3"
      )
      assertJoins(
        "SELECT r.id, s.id FROM r JOIN s ON abs(CAST(r.l AS DECIMAL(20, 0)) - CAST(s.l AS DECIMAL(20, 0))) <= 3"
      )
    }
  }

  test("a setting leaves joins to Spark whose condition may end in an error") {
    withSettings(ScaleGateConf.AnsiErrors -> "true") {
      assertLeftAlone("SELECT r.id, s.id FROM r JOIN s ON abs(r.i - s.i) <= 3")
      assertLeftAlone("SELECT r.id, s.id FROM r JOIN s ON r.i BETWEEN s.i AND s.i + 3")
      assertJoins("SELECT r.id, s.id FROM r JOIN s ON abs(r.x - s.x) <= 3")
      val hinted =
        "SELECT /*+ WINDOW_JOIN */ r.id FROM r JOIN s ON r.k = s.k AND abs(r.i - s.i) <= 3"
      val e = intercept[IllegalArgumentException](spark.sql(hinted).collect())
      assert(e.getMessage.contains("spark.scalegate.join.ansiErrors is true"))
    }
  }
}
