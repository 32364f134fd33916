package io.scalegate.spark.join.plan

import org.apache.spark.sql.execution.exchange.ReusedExchangeExec
import org.apache.spark.sql.scalegate.StageAccess
import org.apache.spark.sql.types.{IntegerType, StructType}
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.util.LongAccumulator

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.plan.ReadOnceExec
import io.scalegate.spark.settings.ScaleGateConf

/** Full joins: rows of both sides that match nothing, each once. One operator runs those whose equality key brings rows
  * together that fit in memory; others are two joins. With `SCALEGATE_SOAK` each condition without a key is run in three
  * ways, and the others with all settings; otherwise in one, by turns.
  */
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
      for ((partitions, i) <- Seq(1, 2, 7).zipWithIndex)
        withSettings("spark.sql.shuffle.partitions" -> partitions.toString) {
          val on = "ON abs(r.i - s.i) <= 3 AND r.k = s.k"
          for (sides <- Sample.turn(Seq(s"r FULL JOIN $none s", s"$none r FULL JOIN s"), i))
            assertJoins(s"SELECT count(*), count(r.i), count(s.i) FROM $sides $on")
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

  test("small inputs with a key are run so without a hint") {
    withSettings(SmallTables.toSeq: _*) {
      val node = windowJoins(spark.sql(query(conditions.head, ""))).head
      assert(node.simpleString(100).contains("WindowJoin FullOuter, keys: r.k = s.k"))
      assertJoins(query(conditions.head, ""))
    }
  }

  private val keyless = Seq(
    "abs(r.i - s.i) <= 4",
    "abs(r.x - s.x) <= 0.5 AND s.ts BETWEEN r.ts - INTERVAL 9 HOURS AND r.ts",
    "s.f BETWEEN r.f - 0.25 AND r.f AND r.name <> s.name",
    "abs(r.l - s.l) <= 3 AND r.k = 2 AND s.k < 3"
  )

  /** The same rows and columns as plain Spark's, by two joins. */
  private def assertSplit(text: String, how: String): Unit = {
    assertJoins(text)
    // As it is planned: what adaptive execution makes of it goes by the sizes that it has seen.
    val df = spark.sql(text)
    assert(df.schema == plainSpark(spark.sql(text).schema))
    val joins = windowJoins(df)
    assert(joins.map(_.probing.name).toSet == Set("LeftOuter", "LeftAnti"), text)
    joins.foreach(join => assert(join.description.contains(how), text))
  }

  keyless.zipWithIndex.foreach { case (condition, i) =>
    test(s"without a key: FULL JOIN ON $condition") {
      val (algorithm, how) =
        Seq("index" -> "side's partitions", "matrix" -> "matrix of ")(i / 2)
      val ways = Seq[() => Unit](
        () => assertSplit(query(condition, s"/*+ WINDOW_JOIN('$algorithm') */"), how),
        () => assertSplit(query(condition, ""), "sweep over sorted slices"),
        () =>
          withSettings(SmallTables.toSeq: _*) {
            assertSplit(query(condition, ""), "index over the broadcast right side")
          }
      )
      Sample.turn(ways, i).foreach(_())
    }
  }

  test("with a key, where a hint asks for it, and else left to Spark") {
    assertLeftAlone(query(conditions.head, ""))
    if (Sample.isSoak)
      assertSplit(
        query(conditions.head, "/*+ WINDOW_JOIN('sweep') */"),
        "sweep over sorted inputs"
      )
    val ways = Seq("sweep" -> "sweep over sorted inputs", "broadcast" -> "the broadcast")
    for ((algorithm, how) <- ways) {
      assertSplit(query(conditions(1), s"/*+ WINDOW_JOIN('$algorithm') */"), how)
      withSettings(ScaleGateConf.JoinAlgorithm -> algorithm) {
        assertLeftAlone(query(conditions.head, ""))
        assertSplit(query(conditions.head), how)
      }
    }
  }

  test("where bounds are columns, or there are none and the hint asks for it") {
    val overlap = "r.i BETWEEN s.i AND s.l"
    assertSplit(query(overlap, ""), "matrix of ")
    withSettings(SmallTables.toSeq: _*) {
      assertSplit(query(overlap, ""), "index over the broadcast")
      assertLeftAlone(query("r.i < s.i", ""))
    }
    if (Sample.isSoak) assertSplit(query(overlap), "matrix of ")
    assertSplit(query("r.i < s.l AND r.k > 1"), "matrix of ")
    assertSplit(query("r.i < s.i", "/*+ WINDOW_JOIN('3x1') */"), "matrix of 3 x 1 cells")
  }

  test("without a key, with nothing on one of the sides, and with adaptive execution off") {
    val none = "(SELECT * FROM s WHERE id < 0)"
    withSettings(
      "spark.sql.optimizer.excludedRules" ->
        "org.apache.spark.sql.catalyst.optimizer.PropagateEmptyRelation",
      "spark.sql.adaptive.enabled" -> "false"
    ) {
      val on = s"ON ${keyless.head}"
      assertJoins(s"SELECT count(*), count(r.i), count(s.i) FROM r FULL JOIN $none s $on")
      assertJoins(s"SELECT count(*), count(r.i), count(s.i) FROM $none r FULL JOIN s $on")
      assertSplit(query(keyless(1), ""), "sweep over sorted slices")
    }
  }

  test("a table with itself, full joins that follow on each other, and one in a subquery") {
    assertJoins("SELECT a.id, b.id FROM r a FULL JOIN r b ON abs(a.i - b.i) <= 1 AND a.id < b.id")
    assertJoins(
      "SELECT a.id, b.id, c.x FROM r a FULL JOIN s b ON abs(a.i - b.i) <= 1 " +
        "FULL JOIN r c ON abs(b.l - c.l) <= 1 WHERE a.k IS NULL OR c.k > 1"
    )
    assertJoins(
      "SELECT id FROM r WHERE i > (SELECT avg(coalesce(a.i, b.i)) FROM r a FULL JOIN s b " +
        "ON abs(a.i - b.i) <= 1) AND EXISTS (SELECT 1 FROM s WHERE abs(r.i - s.i) <= 2)"
    )
  }

  test("aggregates, of sliding windows too, without a key") {
    assertJoins(
      "SELECT a.i, a.n, b.x, b.n FROM (SELECT i, count(*) AS n FROM r GROUP BY i) a FULL JOIN " +
        "(SELECT x, count(*) AS n, sum(l) AS l FROM s GROUP BY x) b ON abs(a.i - b.l) <= 1"
    )
    def sums(relation: String) =
      "(SELECT window(ts, '4 hours', '1 hour').start AS t, sum(l) AS l " +
        s"FROM $relation GROUP BY window(ts, '4 hours', '1 hour'))"
    val windows = s"SELECT a.t, a.l, b.t, b.l FROM ${sums("r")} a FULL JOIN ${sums("s")} b " +
      "ON abs(a.l - b.l) <= 3"
    val expected = plainSpark(rowsOf(spark.sql(windows)))
    assert(rowsOf(spark.sql(windows)) == expected)
  }

  test("an outer join that a filter makes another is that one") {
    val filtered = s"${query(keyless.head, "")} WHERE s.k > 0"
    assertJoins(filtered)
    assert(windowJoins(spark.sql(filtered)).map(_.probing.name) == Seq("RightOuter"))
  }

  test("EXPLAIN says which half a join is and why there are two") {
    val halves = windowJoins(spark.sql(query(keyless.head, ""))).map(_.description)
    assert(halves.head.startsWith(
      "full join's half: its pairs and left rows (no equality key); window: s.i - r.i in [-4, 4]"
    ))
    assert(halves.last.startsWith(
      "full join's half: its right rows that match nothing (no equality key); window: "
    ))
    val hinted = windowJoins(spark.sql(query(conditions.head, "/*+ WINDOW_JOIN('sweep') */")))
    assert(hinted.head.description.contains("(as hinted, 'sweep')"))
  }

  test("inputs that both halves need by the key are exchanged once") {
    val df = spark.sql(
      "SELECT /*+ WINDOW_JOIN('sweep') */ * FROM (SELECT k, i FROM r) r FULL JOIN " +
        "(SELECT k, i FROM s) s ON r.k = s.k AND abs(r.i - s.i) <= 1"
    )
    df.collect()
    assert(collect(executed(df)) { case e: ReusedExchangeExec => e }.size == 2)
  }

  private val unsteady = Seq(
    "LIMIT or OFFSET" -> "(SELECT * FROM s LIMIT 50)",
    "a sample" -> "(SELECT * FROM s TABLESAMPLE (50 PERCENT))",
    "window functions" -> "(SELECT *, row_number() OVER (ORDER BY k) AS n FROM s)",
    "rand(" -> "(SELECT *, rand() AS y FROM s)",
    "sum(" -> "(SELECT sum(x) AS i FROM s GROUP BY k)",
    "first(" -> "(SELECT first(i) AS i FROM s GROUP BY k)"
  )

  private def readOnce(df: DataFrame): Seq[ReadOnceExec] =
    collect(executed(df)) { case r: ReadOnceExec => r }

  unsteady.foreach { case (why, input) =>
    test(s"an input that may have other rows when it is read again is read once: $why") {
      val df = spark.sql(
        s"SELECT /*+ WINDOW_JOIN */ * FROM r FULL JOIN $input s ON abs(r.i - s.i) <= 1"
      )
      df.collect()
      assert(windowJoins(df).size == 2)
      assert(readOnce(df).exists(_.why.contains(why)))
    }
  }

  test("an input that comes in another order is made again as a whole, if a part of it is lost") {
    def levels(input: String) =
      readOnce(spark.sql(s"SELECT * FROM r FULL JOIN $input s ON abs(r.i - s.i) <= 1")).map(
        StageAccess.isMadeAgainAsAWhole
      )
    assert(levels("(SELECT *, rand() AS y FROM s)").toSet == Set(false))
    assert(levels("(SELECT /*+ REPARTITION(3) */ *, rand() AS y FROM s)").contains(true))
  }

  test("what is known to have the same rows is read where it is needed, and nothing else") {
    val directory = newDirectory().resolve("files").toString
    spark.range(0, 50).selectExpr("id AS i").write.parquet(directory)
    val files = s"(SELECT i + 1 AS i FROM parquet.`$directory` WHERE i % 3 > 0)"
    val range = "(SELECT id AS i FROM range(0, 60))"
    def joined(left: String, right: String) =
      spark.sql(s"SELECT * FROM $left a FULL JOIN $right b ON abs(a.i - b.i) <= 1")
    assert(readOnce(joined(files, range)).isEmpty)
    assert(readOnce(joined(range, "(VALUES (1), (3) AS v(i))")).isEmpty)
    assert(readOnce(joined(files, "r")).nonEmpty)
  }

  /** Rows with an id and a number that is another each time that they are made. */
  private def changing(name: String, ids: Int): LongAccumulator = {
    val made = spark.sparkContext.longAccumulator
    val rows = spark.sparkContext.parallelize(0 until ids, 3).map { id =>
      made.add(1)
      Row(id, java.util.concurrent.ThreadLocalRandom.current().nextInt(2 * ids))
    }
    val schema = new StructType().add("id", IntegerType).add("i", IntegerType)
    spark.createDataFrame(rows, schema).createOrReplaceTempView(name)
    made
  }

  for ((adaptive, turn) <- Seq(true, false).zipWithIndex)
    test(
      s"rows that are others each time are joined as one input, adaptive execution: $adaptive"
    ) {
      val ids = 300
      val (left, right) = (changing("changing_left", ids), changing("changing_right", ids))
      for {
        ((on, hint), i) <- Seq(
          "abs(a.i - b.i) <= 0" -> "",
          "a.i = b.i AND abs(a.i - b.i) <= 1" -> "/*+ WINDOW_JOIN('sweep') */",
          "abs(a.i - b.i) <= 0" -> "/*+ WINDOW_JOIN('matrix') */"
        ).zipWithIndex
        if Sample.isSoak || i % 2 == turn
      } withSettings("spark.sql.adaptive.enabled" -> adaptive.toString) {
        Seq(left, right).foreach(_.reset())
        val df = spark.sql(
          s"SELECT $hint a.id, b.id, a.i, b.i FROM changing_left a FULL JOIN changing_right b ON $on"
        )
        val rows = df.collect()
        assert(windowJoins(df).size == 2)
        assert(left.value == ids && right.value == ids, "each input is read once")
        for (side <- 0 to 1) {
          val ofSide = rows.filterNot(_.isNullAt(side)).groupBy(_.getInt(side))
          assert(ofSide.keySet == (0 until ids).toSet, "no row is lost")
          ofSide.values.foreach { ofRow =>
            assert(ofRow.map(_.get(2 + side)).distinct.length == 1)
            val unmatched = ofRow.count(_.isNullAt(1 - side))
            assert(unmatched == 0 || ofRow.length == 1, "a row is matched or it is not")
          }
        }
      }
    }

  test(
    "where exchanges are not reused, a full join that would read such an input twice is left to Spark"
  ) {
    withSettings("spark.sql.exchange.reuse" -> "false") {
      val query =
        "SELECT * FROM r FULL JOIN (SELECT *, rand() AS y FROM s) s ON abs(r.i - s.i) <= 1"
      assert(windowJoins(spark.sql(query)).isEmpty)
      val e = intercept[IllegalArgumentException](
        spark.sql(query.replace("SELECT * FROM r", "SELECT /*+ WINDOW_JOIN */ * FROM r")).collect()
      )
      assert(e.getMessage.contains("spark.sql.exchange.reuse is off"))
    }
  }

  test("full joins that follow on each other are split three times, and left to Spark then") {
    val chain = (2 to 5).map(n => s"FULL JOIN s t$n ON abs(t$n.i - t1.i) <= $n").mkString(" ")
    val joins = windowJoins(spark.sql(s"SELECT * FROM r t1 $chain"))
    assert(joins.size == 14)
  }

  test("an input with a correlated subquery is left to Spark") {
    val some =
      "(SELECT * FROM r q WHERE q.i IN (SELECT o.i FROM s o WHERE o.l BETWEEN q.l - 9 AND q.l + 9))"
    val text = s"SELECT $columns FROM $some r FULL JOIN s ON abs(r.i - s.i) <= 4 AND r.x > s.x"
    assert(rowsOf(spark.sql(text)) == plainSpark(rowsOf(spark.sql(text))))
  }

  test("what a full join cannot be run by is refused with the reason") {
    val matrix = intercept[IllegalArgumentException](
      spark.sql(query(conditions.head, "/*+ WINDOW_JOIN('matrix') */")).collect()
    )
    assert(matrix.getMessage.contains("rows with equal keys are brought together by the key"))
    val sample = "(SELECT * FROM r TABLESAMPLE (50 PERCENT))"
    val sweep = withSettings("spark.sql.exchange.reuse" -> "false") {
      intercept[IllegalArgumentException](
        spark.sql(
          s"SELECT /*+ WINDOW_JOIN('sweep') */ * FROM $sample r FULL JOIN s ON ${conditions.head}"
        ).collect()
      )
    }
    assert(sweep.getMessage.contains("a full join is decided in the task that holds"))
  }
}
