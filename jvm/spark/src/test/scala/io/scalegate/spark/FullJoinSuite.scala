package io.scalegate.spark

/** Full joins: rows of both sides that match nothing, each once. They need an equality key. */
final class FullJoinSuite extends SparkJoinSuite {
  private val conditions = Seq(
    "r.k = s.k AND abs(r.i - s.i) <= 4",
    "r.k = s.k AND s.ts BETWEEN r.ts - INTERVAL 2 HOURS AND r.ts AND r.x > s.x",
    "r.k = s.k AND r.name = s.name AND abs(r.x - s.x) <= 1",
    "r.k <=> s.k AND abs(r.l - s.l) <= 3",
    "r.k = s.k AND abs(r.i - s.i) <= 2 AND abs(r.l - s.l) <= 20 AND r.id < s.id",
    "r.k = s.k AND r.l BETWEEN s.i AND s.l",
    "r.k = s.k AND r.id = s.id + 1000 AND abs(r.i - s.i) <= 4"
  )
  private val columns = "r.id, r.i, r.x, r.name, s.id, s.i, s.x, s.ts"

  private def query(condition: String, hint: String = "/*+ WINDOW_JOIN */"): String =
    s"SELECT $hint $columns FROM r FULL JOIN s ON $condition"

  conditions.foreach { condition =>
    test(s"FULL JOIN ON $condition")(assertJoins(query(condition)))
  }

  test("with nothing on one of the sides, and on any number of partitions") {
    val none = "(SELECT * FROM s WHERE id < 0)"
    withSettings(
      "spark.sql.optimizer.excludedRules" ->
        "org.apache.spark.sql.catalyst.optimizer.PropagateEmptyRelation",
      "spark.sql.adaptive.enabled" -> "false",
      ScaleGateConf.JoinAlgorithm -> "index"
    ) {
      for (partitions <- Seq(1, 2, 7))
        withSettings("spark.sql.shuffle.partitions" -> partitions.toString) {
          val on = "ON abs(r.i - s.i) <= 3 AND r.k = s.k"
          assertJoins(s"SELECT count(*), count(r.i), count(s.i) FROM r FULL JOIN $none s $on")
          assertJoins(s"SELECT count(*), count(r.i), count(s.i) FROM $none r FULL JOIN s $on")
          assertJoins(s"SELECT $columns FROM r FULL JOIN s $on")
        }
    }
  }

  test("columns that an input never has NULLs in have them, and a later join follows") {
    assertJoins(
      "SELECT a.id, b.id, c.id FROM (SELECT /*+ WINDOW_JOIN */ r.id, s.id AS other, s.k FROM r FULL JOIN s " +
        "ON r.k = s.k AND abs(r.i - s.i) <= 0 AND r.x > 0) a JOIN r b ON a.k = b.k AND abs(a.id - b.id) <= 1 " +
        "LEFT JOIN s c ON c.k = b.k AND abs(c.i - b.i) <= 1"
    )
  }

  test(
    "small inputs are run so without a hint, large ones and joins without a key are left to Spark"
  ) {
    assertLeftAlone(query(conditions.head, ""))
    withSettings(SmallTables.toSeq: _*) {
      assertLeftAlone(query("abs(r.i - s.i) <= 1", ""))
      val node = windowJoins(spark.sql(query(conditions.head, ""))).head
      assert(node.simpleString(100).contains("WindowJoin FullOuter, keys: r.k = s.k"))
      assertJoins(query(conditions.head, ""))
    }
  }

  test("what a full join cannot be run by is refused with the reason") {
    for (algorithm <- Seq("broadcast", "sweep")) {
      val e = intercept[IllegalArgumentException](
        spark.sql(query(conditions.head, s"/*+ WINDOW_JOIN('$algorithm') */")).collect()
      )
      assert(e.getMessage.contains("a full join is decided in the task that holds"))
    }
    val e =
      intercept[IllegalArgumentException](spark.sql(query("abs(r.i - s.i) <= 1")).collect())
    assert(e.getMessage.contains("full joins with an equality key"))
  }
}
