package io.scalegate.spark.bounds

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.settings.ScaleGateConf

/** Every spelling of a bounded difference that people use, on every type, against plain Spark. With `SCALEGATE_SOAK` those
  * of days and hours in each time zone, otherwise by turns.
  *
  * @param isTried
  *   by a spelling's number: how a bound is read is the same whatever the algorithm
  */
abstract class SpellingsContract(isTried: Int => Boolean) extends SparkJoinSuite {
  protected val joined: Seq[String] = Seq(
    // Integers
    "s.i BETWEEN r.i - 5 AND r.i + 3",
    "r.i BETWEEN s.i - 5 AND s.i + 3",
    "abs(r.i - s.i) <= 4",
    "abs(s.l - r.l) < 4",
    "4 >= abs(r.i - s.l)",
    "r.i - s.i >= -3 AND r.i - s.i <= 2",
    "s.i >= r.i - 5 AND r.i + 1 >= s.i",
    "r.i < s.i + 5 AND s.i < r.i + 5",
    "r.i - s.i + 2 > 0 AND s.i - r.i + 2 > 0",
    "r.i + 1 BETWEEN s.i - 1 AND s.i + 1",
    "-(r.i - s.i) BETWEEN -2 AND 7",
    "NOT (r.i - s.i > 3) AND NOT (s.i - r.i > 3)",
    "abs(r.b - s.b) <= 2",
    "abs(r.h - s.i) <= 2",
    "abs(r.i - s.i) <= 2.5",
    "abs(r.l - s.l) < 2.5",
    "abs(r.i - s.i) <= 3 AND abs(r.l - s.l) <= 20 AND r.id < s.id",
    "abs((r.i + r.l) - (s.i + s.l)) <= 3",
    "s.i - r.i BETWEEN 10 AND 20",
    // Decimals
    "abs(r.m - s.m) <= 0.05",
    "s.m BETWEEN r.m - 0.5 AND r.m + 1",
    // Floating point
    "abs(r.f - s.f) <= 1",
    "abs(r.f - s.f) <= 0.25",
    "abs(r.x - s.x) < 1.5",
    "s.x BETWEEN r.x - 1 AND r.x + 1",
    "s.f BETWEEN r.f - 1.1 AND r.f + 1.1",
    "s.f BETWEEN r.x - 1 AND r.x + 1",
    "r.x - s.x >= -0.75 AND r.x - s.x <= 0.5",
    "r.x - s.x <= 1 AND s.x - r.x <= 1",
    "r.x >= s.x - 1 AND r.x <= s.x + 1 AND r.f > s.f",
    "s.x BETWEEN r.x AND r.x + 2",
    "abs(r.x - s.x) <= 0",
    "abs(r.x - s.x) <= 1e300",
    // Dates
    "s.d BETWEEN r.d - 3 AND r.d + 3",
    "s.d BETWEEN date_sub(r.d, 2) AND date_add(r.d, 1)",
    "abs(datediff(r.d, s.d)) <= 2",
    "s.d - r.d BETWEEN INTERVAL '-2' DAY AND INTERVAL '3' DAY",
    "s.d - r.d BETWEEN INTERVAL '1' DAY * -2 AND INTERVAL '5' HOUR",
    "s.d BETWEEN r.d - INTERVAL 2 DAYS AND r.d",
    // Timestamps
    "s.ts BETWEEN r.ts - INTERVAL 90 MINUTES AND r.ts",
    "r.ts BETWEEN s.ts - INTERVAL 90 MINUTES AND s.ts + INTERVAL 1 SECOND",
    "s.ts >= r.ts AND s.ts < r.ts + INTERVAL 2 HOURS",
    "s.ts + INTERVAL 1 HOUR >= r.ts AND r.ts + INTERVAL 1 HOUR >= s.ts",
    "s.ts - r.ts BETWEEN INTERVAL '-01:00' HOUR TO MINUTE AND INTERVAL '30' MINUTE",
    "abs(s.ts - r.ts) <= INTERVAL '01:00' HOUR TO MINUTE",
    "abs(unix_micros(s.ts) - unix_micros(r.ts)) <= 3600000000",
    "abs(unix_timestamp(s.ts) - unix_timestamp(r.ts)) <= 3600",
    "abs(cast(s.ts AS DOUBLE) - cast(r.ts AS DOUBLE)) <= 3600",
    "s.ts BETWEEN r.ts - INTERVAL 1 DAY AND r.ts + INTERVAL 1 DAY",
    "s.ts BETWEEN r.ts AND r.ts + INTERVAL 24 HOURS",
    "s.ts BETWEEN r.ts + INTERVAL 23 HOURS AND r.ts + INTERVAL 25 HOURS",
    "s.tn BETWEEN r.tn - INTERVAL 90 MINUTES AND r.tn",
    "s.tn BETWEEN r.tn - INTERVAL 1 DAY AND r.tn",
    "s.ts BETWEEN r.ts - make_interval(0, 0, 0, 1, 2) AND r.ts + make_interval(0, 0, 0, 0, 1)",
    // With equality keys
    "r.k = s.k AND s.ts BETWEEN r.ts - INTERVAL 3 HOURS AND r.ts",
    "r.k = s.k AND r.name = s.name AND abs(r.i - s.i) <= 10",
    "r.k = s.k AND abs(r.x - s.x) <= 2 AND abs(r.l - s.l) <= 20",
    "r.k <=> s.k AND abs(r.i - s.i) <= 4",
    "r.x = s.x AND abs(r.i - s.i) <= 40",
    "r.f = s.f AND abs(r.i - s.i) <= 40"
  ).zipWithIndex.collect { case (condition, i) if isTried(i) => condition }

  protected def query(condition: String): String =
    s"SELECT r.id, s.id, r.ts, s.ts, r.x, s.f FROM r JOIN s ON $condition"

  joined.foreach { condition =>
    test(condition)(assertJoins(query(condition)))
  }

  Seq("America/New_York", "Pacific/Apia").zipWithIndex.foreach { case (zone, n) =>
    test(s"intervals of a day and more are calendar days in $zone") {
      withSettings("spark.sql.session.timeZone" -> zone) {
        val calendar = joined.filter(c => c.contains(" DAY") || c.contains(" HOUR"))
        // A day of New York's has 23 hours.
        def isOf(condition: String) = n == 0 && condition.contains("24 HOURS")
        for {
          (condition, i) <- calendar.zipWithIndex
          if Sample.isSoak || i % 2 == n || calendar.size == 1 || isOf(condition)
        } assertJoins(query(condition))
      }
    }
  }

  test("the bound of the condition is a comma join's WHERE clause") {
    assertJoins("SELECT r.id, s.id FROM r, s WHERE abs(r.i - s.i) <= 2 AND r.k = 1")
  }

  test("the same table may stand on both sides") {
    assertJoins("SELECT a.id, b.id FROM r a JOIN r b ON abs(a.i - b.i) <= 2 AND a.id < b.id")
  }

  test("joins follow on joins") {
    assertJoins(
      "SELECT a.id, b.id, c.id FROM r a JOIN s b ON abs(a.i - b.i) <= 1 " +
        "JOIN r c ON c.k = b.k AND c.ts BETWEEN b.ts - INTERVAL 1 HOUR AND b.ts"
    )
  }

  test("an aggregate, a limit of the condition's columns and a union lie around the join") {
    assertJoins(
      "SELECT k, count(*), max(y) FROM (SELECT r.k, s.x AS y FROM r JOIN s ON abs(r.i - s.i) <= 3 " +
        "UNION ALL SELECT k, x FROM s) GROUP BY k"
    )
  }

  test("inverted bounds give no rows and run no join") {
    val empty = "SELECT r.id FROM r JOIN s ON s.i BETWEEN r.i + 5 AND r.i - 5"
    assert(spark.sql(empty).collect().isEmpty)
    assert(plainSpark(spark.sql(empty).collect()).isEmpty)
  }

  test("a NaN that passes on the larger side of a comparison is not lost") {
    val conditions = Seq(
      "r.x - s.x >= -1 AND s.x - r.x >= -1",
      "r.x >= s.x - 1 AND s.x - r.x >= -1",
      "r.x - s.x >= -1 AND r.x <= s.x + 1",
      "r.f - s.f > -1 AND s.f - r.f > -1"
    )
    for ((condition, i) <- conditions.zipWithIndex if isTried(i)) {
      val expected = plainSpark(rowsOf(spark.sql(query(condition))))
      assert(rowsOf(spark.sql(query(condition))) == expected, condition)
    }
  }

  /** In what no spelling decides, fewer of them are tried. */
  private val apart = if (Sample.isSoak) 1 else 2

  test("with adaptive execution off the plan is the same") {
    withSettings("spark.sql.adaptive.enabled" -> "false") {
      joined.zipWithIndex.collect { case (c, i) if i % (6 * apart) == 1 => assertJoins(query(c)) }
    }
  }

  Seq("true" -> "CODEGEN_ONLY", "false" -> "NO_CODEGEN").foreach { case (wholeStage, mode) =>
    test(s"code generation in mode $mode gives the same rows") {
      withSettings(
        "spark.sql.codegen.wholeStage" -> wholeStage,
        "spark.sql.codegen.factoryMode" -> mode
      ) {
        joined.zipWithIndex.collect {
          case (c, i) if i % (7 * apart) == 3 => assertJoins(query(c))
        }
      }
    }
  }
}

/** Both inputs are exchanged, as large ones are. Without `SCALEGATE_SOAK` in two thirds of the spellings. */
final class SpellingsSuite extends SpellingsContract(i => Sample.isSoak || i % 3 > 0) {
  override protected def generatesCode: Boolean = true

  test("no input is broadcast") {
    val some = joined.zipWithIndex.collect { case (c, i) if Sample.isSoak || i % 3 == 0 => c }
    some.foreach { condition =>
      assert(windowJoins(spark.sql(query(condition))).forall(_.nodeName == "WindowJoin"))
    }
  }
}

/** An input is broadcast, as small ones are. Without `SCALEGATE_SOAK` in the other spellings. */
final class BroadcastSpellingsSuite extends SpellingsContract(i => Sample.isSoak || i % 3 == 0) {
  override protected def settings: Map[String, String] = SmallTables

  test("an input is broadcast") {
    joined.foreach { condition =>
      val names = windowJoins(spark.sql(query(condition))).map(_.nodeName)
      assert(names == Seq("BroadcastWindowJoin"), condition)
    }
  }
}

/** Each partition of one input is indexed. */
final class IndexSpellingsSuite
    extends SpellingsContract(i => if (Sample.isSoak) i % 5 == 0 else i % 11 == 0) {
  override protected def settings: Map[String, String] =
    Map(ScaleGateConf.JoinAlgorithm -> "index")

  test("an input is indexed") {
    joined.foreach { condition =>
      val joins = windowJoins(spark.sql(query(condition)))
      assert(joins.forall(_.description.contains("side's partitions")), condition)
    }
  }
}
