package io.scalegate.spark.bounds

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.joins.{BroadcastNestedLoopJoinExec, CartesianProductExec}

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.join.batch.LocalJoin
import io.scalegate.spark.settings.ScaleGateConf

/** Bounds that are columns: a point in an interval, intervals that overlap, and two comparisons of any kind. With
  * `SCALEGATE_SOAK` each condition is tried in an inner join and one of another type; otherwise in one of the types, by
  * turns, and every third of those with a key by a broadcast, too: those without a key are run so.
  */
final class TwoInequalitiesSuite extends SparkJoinSuite {
  private val conditions = Seq(
    "r.i BETWEEN s.i AND s.l",
    "r.l >= s.i AND r.l < s.l",
    "r.i <= s.l AND s.i <= r.l",
    "NOT (r.i > s.l OR s.i > r.l)",
    "s.h BETWEEN r.h AND r.b + 10",
    "r.x BETWEEN s.f AND s.x",
    "r.x < s.x AND s.f < r.f AND r.name <> s.name",
    "r.d BETWEEN s.d AND date_add(s.d, s.k)",
    "r.ts BETWEEN s.ts AND s.ts + make_interval(0, 0, 0, 0, s.k)",
    "s.ts <= r.ts + make_interval(0, 0, 0, 0, r.k) AND r.ts <= s.ts + make_interval(0, 0, 0, 0, s.k)",
    "s.tn > r.tn AND s.tn < r.tn + make_interval(0, 0, 0, 0, r.k)"
  )

  /** Of two number lines, or of one that both go along the same way. */
  private val others = Seq(
    "r.i < s.i AND r.l > s.l" -> "[r.i, r.l] overlaps",
    "r.i < s.i AND r.x > s.x" -> "r.i <= s.i, r.x >= s.x",
    "r.ts <= s.ts AND r.x <= s.f" -> "r.ts <= s.ts, r.x <= ",
    "r.i > s.l AND r.d > s.d AND r.name <> s.name" -> ">= s.l, r.d >= s.d",
    "NOT (r.tn < s.tn OR s.m < r.m)" -> "r.tn >= s.tn, r.m <= s.m",
    "r.x > s.x AND r.f > s.f" -> "r.x >= s.x, r.f >= s.f"
  )
  private val keys = Seq("r.k = s.k", "r.name = s.name", "r.k = s.k AND r.name <=> s.name")
  private val joinTypes = Seq("", "LEFT", "RIGHT", "LEFT SEMI", "LEFT ANTI")

  private def query(condition: String, joinType: String = "", hint: String = ""): String = {
    val columns =
      if (joinType.contains("SEMI") || joinType.contains("ANTI")) "r.id, r.x"
      else "r.id, s.id, r.ts, s.ts, r.x, s.f"
    s"SELECT $hint $columns FROM r $joinType JOIN s ON $condition"
  }

  conditions.zipWithIndex.foreach { case (condition, i) =>
    val another = joinTypes(1 + i % 4)

    test(s"without a key: $condition") {
      Sample.turn(Seq(another, ""), i / 2).foreach { joinType =>
        val asked = query(condition, joinType, "/*+ WINDOW_JOIN */")
        withSettings(SmallTables.toSeq: _*) {
          val df = assertedJoin(asked)
          assertRunsBy(df, classOf[LocalJoin.Broadcast])
          assert(windowJoins(df).head.description.contains(" overlaps "))
        }
      }
    }

    test(s"with a key: $condition") {
      val on = s"${keys(i % keys.size)} AND $condition"
      Sample.turn(Seq("", another), i / 2).foreach { joinType =>
        val asked = query(on, joinType, "/*+ WINDOW_JOIN */")
        assertRunsBy(assertedJoin(asked), classOf[LocalJoin.IndexOrBlocks])
        if (Sample.isSoak || i % 3 == 0)
          assertJoins(query(on, joinType, "/*+ WINDOW_JOIN('broadcast') */"))
      }
    }
  }

  for (((condition, shown), i) <- others.zipWithIndex)
    test(s"two inequalities: $condition") {
      for (joinType <- Seq(joinTypes(i % 5))) {
        val text = query(condition, joinType)
        def assertShown(sql: String, local: Class[_ <: LocalJoin]) = {
          val df = assertedJoin(sql)
          assertRunsBy(df, local)
          assert(windowJoins(df).head.description.contains(shown))
        }
        withSettings(SmallTables.toSeq: _*)(assertShown(text, classOf[LocalJoin.Broadcast]))
        assertShown(text, classOf[LocalJoin.IndexOrBlocks])
        if (Sample.isSoak || i % 2 == 0)
          assertShown(
            query(s"${keys.head} AND $condition", joinType, "/*+ WINDOW_JOIN */"),
            classOf[LocalJoin.IndexOrBlocks]
          )
      }
      if (i == 1) assertJoins(query(condition, "FULL"))
      // Rows of one key are few, as a rule: Spark's own join tests them all.
      if (!shown.contains("overlaps"))
        withSettings(SmallTables.toSeq: _*)(
          assertLeftAlone(query(s"${keys.head} AND $condition"))
        )
    }

  test("small inputs are run so without a hint, and large ones with a key are left to Spark") {
    assertLeftAlone(query(s"${keys.head} AND ${conditions.head}"))
    Seq(conditions.head, s"${keys.head} AND ${conditions.head}").foreach { condition =>
      withSettings(SmallTables.toSeq: _*) {
        val df = spark.sql(query(condition))
        assertRunsBy(df, classOf[LocalJoin.Broadcast])
        assertJoins(query(condition))
      }
    }
  }

  test("large inputs without a key are never compared row by row") {
    def isOfPairs(p: SparkPlan) =
      p.isInstanceOf[CartesianProductExec] || p.isInstanceOf[BroadcastNestedLoopJoinExec]
    for {
      (joinType, i) <- ("FULL" +: joinTypes).zipWithIndex
      condition <- Sample.turn(Seq(conditions.head, conditions(2)), i)
    } {
      val text = query(condition, joinType)
      // Rows of every second type: the small inputs above are joined by the same index.
      val df = if (Sample.isSoak || i % 2 == 0) assertedJoin(text) else spark.sql(text)
      assert(windowJoins(df).nonEmpty, text)
      assert(collect(executed(df)) { case p if isOfPairs(p) => p }.isEmpty, text)
    }
    val node = windowJoins(spark.sql(query(conditions.head))).head
    assert(node.description.endsWith(
      "matrix of 1 x 2 cells, for an unknown size and an unknown size " +
        "(no equality key, and neither side is small)"
    ))
  }

  test("EXPLAIN names the intervals") {
    val explained = spark
      .sql("EXPLAIN " + query(
        s"r.k = s.k AND r.l BETWEEN s.l AND s.l + s.k",
        "",
        "/*+ WINDOW_JOIN */"
      ))
      .head()
      .getString(0)
    assert(explained.contains("WindowJoin Inner, keys: r.k = s.k; window: r.l overlaps [s.l, "))
    assert(explained.contains("side's partitions (as hinted)"))
  }

  test("large inputs without a key meet in parts of the line, or in a matrix on request") {
    for (
      (hint, how) <-
        Seq("WINDOW_JOIN" -> "parts of the line", "WINDOW_JOIN('matrix')" -> "matrix of ")
    ) {
      val df = assertedJoin(query(conditions.head, "", s"/*+ $hint */"))
      assertRunsBy(df, classOf[LocalJoin.IndexOrBlocks])
      assert(windowJoins(df).head.description.contains(how))
    }
  }

  test("a sweep, which needs bounds that are constant, is refused by name") {
    val e = intercept[IllegalArgumentException](
      spark.sql(query(conditions.head, "", "/*+ WINDOW_JOIN('sweep') */")).collect()
    )
    assert(e.getMessage.contains(
      "cannot run this join: it slides a window of a fixed width, and this condition's"
    ))
    withSettings(ScaleGateConf.JoinAlgorithm -> "sweep") {
      assertLeftAlone(query(s"${keys.head} AND ${conditions.head}"))
    }
  }

  test("an index of partitions, which needs a key, is refused by name where there is none") {
    val e = intercept[IllegalArgumentException](
      spark.sql(query(conditions.head, "", "/*+ WINDOW_JOIN('index') */")).collect()
    )
    assert(e.getMessage.contains("rows can be exchanged by an equality key alone"))
  }

  test("one comparison alone is left to Spark") {
    Seq("r.i <= s.l", "r.i <= s.l AND r.l <> s.i", "r.i <= s.l AND r.k = s.k").foreach { c =>
      withSettings(SmallTables.toSeq: _*)(assertLeftAlone(query(c)))
    }
  }
}
