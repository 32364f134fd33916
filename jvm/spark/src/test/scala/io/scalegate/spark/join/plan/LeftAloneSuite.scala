package io.scalegate.spark.join.plan

import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.settings.ScaleGateConf

/** Plans that are none of the package's business, and the switch back to plain Spark. */
final class LeftAloneSuite extends SparkJoinSuite {
  private val left = Seq(
    "SELECT r.id, s.id FROM r JOIN s ON r.k = s.k",
    "SELECT r.id, s.id FROM r JOIN s ON r.k = s.k AND r.i < s.i",
    "SELECT r.id, s.id FROM r JOIN s ON r.i <= s.i + 5",
    "SELECT r.id, s.id FROM r JOIN s ON r.ts >= s.ts - INTERVAL 1 HOUR",
    "SELECT r.id, s.id FROM r CROSS JOIN s",
    "SELECT r.id, s.id FROM r JOIN s ON abs(r.i - s.i) <= 3 OR r.k = s.k",
    "SELECT r.id, s.id FROM r JOIN s ON r.k = s.k AND r.i BETWEEN s.i AND s.l",
    "SELECT r.id, s.id FROM r FULL JOIN s ON r.k = s.k AND abs(r.i - s.i) <= 3",
    "SELECT r.id, s.id FROM r JOIN s ON r.k = s.k AND abs(CAST(r.name AS INT) - s.i) <= 3",
    "SELECT r.id, s.id FROM r LEFT JOIN s ON r.k = s.k AND CAST(r.x AS INT) >= s.i AND CAST(r.x AS INT) <= s.i + 3",
    "SELECT r.id, s.id FROM r FULL JOIN s ON r.i < s.i",
    "SELECT r.id FROM r WHERE EXISTS (SELECT 1 FROM s WHERE abs(r.i - s.i) <= 3) OR r.k = 1",
    "SELECT r.id FROM r LEFT JOIN s ON s.i BETWEEN r.i + 5 AND r.i - 5",
    "SELECT r.id, s.id FROM r FULL JOIN s ON r.k = s.k AND r.i <> s.i",
    "SELECT r.id, s.id FROM r FULL JOIN s ON s.i BETWEEN r.i + 5 AND r.i - 5",
    "SELECT /*+ BROADCAST(s) */ r.id, s.id FROM r JOIN s ON abs(r.i - s.i) <= 3",
    "SELECT /*+ MERGE(s) */ r.id, s.id FROM r JOIN s ON r.k = s.k AND abs(r.i - s.i) <= 3",
    "SELECT k, count(*) FROM r GROUP BY k",
    "SELECT id FROM r WHERE i IN (SELECT i FROM s WHERE k = 1)"
  )

  left.foreach(q => test(s"left as Spark plans it: $q")(assertLeftAlone(q)))

  test("integer arithmetic that wraps around is left to Spark") {
    withSettings("spark.sql.ansi.enabled" -> "false") {
      assertLeftAlone("SELECT r.id, s.id FROM r JOIN s ON abs(r.i - s.i) <= 3")
      assertLeftAlone(
        "SELECT r.id, s.id FROM r JOIN s ON r.k = s.k AND s.i BETWEEN r.i - 3 AND r.i + 3"
      )
      assertJoins("SELECT r.id, s.id FROM r JOIN s ON s.i BETWEEN r.i - 3 AND r.i + 3")
      assertJoins("SELECT r.id, s.id FROM r JOIN s ON abs(r.x - s.x) <= 3")
      assertJoins(
        "SELECT r.id, s.id FROM r JOIN s ON s.ts BETWEEN r.ts - INTERVAL 1 HOUR AND r.ts"
      )
    }
  }

  test("the switch takes a running session back and forth") {
    val query = "SELECT r.id, s.id FROM r JOIN s ON abs(r.i - s.i) <= 3"
    assert(windowJoins(spark.sql(query)).size == 1)
    withSettings(ScaleGateConf.Enabled -> "false") {
      assert(windowJoins(spark.sql(query)).isEmpty)
    }
    assert(windowJoins(spark.sql(query)).size == 1)
  }

  test("a switch that is neither true nor false is refused") {
    withSettings(ScaleGateConf.Enabled -> "maybe") {
      val e = intercept[IllegalArgumentException] {
        spark.sql("SELECT r.id FROM r JOIN s ON abs(r.i - s.i) <= 3").collect()
      }
      assert(e.getMessage.contains("spark.scalegate.enabled must be true or false, not 'maybe'"))
    }
  }
}
