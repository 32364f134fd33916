package io.scalegate.spark.join.batch

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions.{col, spark_partition_id}

import io.scalegate.Sample
import io.scalegate.spark.join.WindowJoinNode
import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.spark.{SparkJoinSuite, TestTables}

/** Joins in a matrix of cells: those in which nothing is bounded, and others where they are asked for so. With
  * `SCALEGATE_SOAK` an inner join is tried on all conditions, and cells are counted however a query is run; otherwise
  * each join type has every second condition.
  */
final class MatrixCellsSuite extends SparkJoinSuite {
  private val unbounded = Seq(
    "r.i < s.i",
    "r.x + s.x > 12 OR r.name = s.name",
    "abs(r.m * s.m) <= 90",
    "r.id % 7 = 3 AND s.id % 5 = 2",
    "length(concat(r.name, s.name)) > 3 AND r.k IS NOT NULL AND NOT r.k = s.h",
    "true"
  )
  private val bounded = Seq[(String, Class[_ <: LocalJoin])](
    "abs(r.i - s.i) <= 1" -> classOf[SweptJoin],
    "s.ts BETWEEN r.ts - INTERVAL 3 HOURS AND r.ts AND abs(r.x - s.x) <= 1" ->
      classOf[SweptJoin],
    "r.l BETWEEN s.i AND s.l" -> classOf[LocalJoin.IndexOrBlocks],
    "r.x BETWEEN s.f AND s.x AND r.name <> s.name" -> classOf[LocalJoin.IndexOrBlocks]
  )

  private val layouts = Seq(
    "JOIN" -> Seq("1x1", "2x3", "3x2", "1x5", "5x1", "7x7"),
    "LEFT JOIN" -> Seq("4x1", "1x1", "2X1"),
    "RIGHT JOIN" -> Seq("1x4", "1x1", " 1 x 2 "),
    "LEFT SEMI JOIN" -> Seq("4x1", "1x1", "2x1"),
    "LEFT ANTI JOIN" -> Seq("1x1", "4x1", "2x1")
  )

  private def query(joinType: String, on: String, arguments: String*): String = {
    val hint = s"WINDOW_JOIN(${("r" +: "s" +: arguments.map(a => s"'$a'")).mkString(", ")})"
    val columns = if (joinType.matches(".*(SEMI|ANTI).*")) "r.id, r.i" else "r.id, s.id, r.i, s.x"
    s"SELECT /*+ $hint */ $columns FROM r $joinType s ON $on"
  }

  private def nodes(text: String): Seq[WindowJoinNode] = windowJoins(spark.sql(text))

  for (((joinType, tried), n) <- layouts.zipWithIndex) {
    test(s"$joinType where nothing is bounded, in layouts ${tried.mkString(", ")}") {
      for ((on, i) <- unbounded.zipWithIndex if Sample.isSoak && n == 0 || i % 2 == n % 2) {
        val text = query(joinType, on, "matrix", tried((i + n) % tried.size))
        assertRunsBy(assertedJoin(text), classOf[LocalJoin.IndexOrBlocks])
      }
    }

    test(s"$joinType with bounds, by a matrix where it is asked for") {
      for (
        ((on, local), i) <- bounded.zipWithIndex if Sample.isSoak && n == 0 || i % 2 == n % 2
      ) {
        val text = query(joinType, on, "matrix", tried((i + n) % tried.size))
        assertRunsBy(assertedJoin(text), local)
      }
    }

    test(
      s"$joinType in a layout of the planner's choice, and by broadcast where a side is small"
    ) {
      val text = query(joinType, unbounded(n))
      assertRunsBy(assertedJoin(text), classOf[LocalJoin.IndexOrBlocks])
      withSettings(SmallTables.toSeq: _*) {
        assertRunsBy(assertedJoin(text), classOf[LocalJoin.Broadcast])
      }
    }
  }

  test("with nothing on one of the sides") {
    withSettings(
      "spark.sql.optimizer.excludedRules" ->
        "org.apache.spark.sql.catalyst.optimizer.PropagateEmptyRelation",
      "spark.sql.adaptive.enabled" -> "false"
    ) {
      for {
        ((joinType, layout), i) <-
          Seq("LEFT JOIN" -> "2x1", "LEFT ANTI JOIN" -> "2x1", "JOIN" -> "2x2").zipWithIndex
        (l, r) <- Sample.turn(Seq("true" -> "id < 0", "id < 0" -> "true"), i / 2)
      } assertJoins(
        s"SELECT /*+ WINDOW_JOIN('matrix', '$layout') */ count(*), max(r.i) " +
          s"FROM (SELECT * FROM r WHERE $l) r $joinType (SELECT * FROM s WHERE $r) s ON r.i < s.i"
      )
    }
  }

  test("a cross join, with and without a condition, in SQL and on DataFrames") {
    assertJoins("SELECT /*+ WINDOW_JOIN */ r.id, s.id FROM r CROSS JOIN s")
    assertJoins("SELECT /*+ WINDOW_JOIN(r, s) */ r.id, s.id FROM r, s WHERE r.i > s.i")
    assertJoins("SELECT /*+ WINDOW_JOIN */ count(*) FROM r CROSS JOIN s")
    val (r, s) = (spark.table("r"), spark.table("s"))
    val joined = r.hint("window_join", "matrix", "3x2").crossJoin(s).select(r("id"), s("id"))
    assert(windowJoins(joined).head.description.contains("matrix of 3 x 2 cells, as hinted"))
    assert(joined.count() == TestTables.Rows * TestTables.Rows)
  }

  test("each cell is a task, be they fewer or more than shuffle partitions") {
    for {
      (on, i) <- Seq("true", "abs(r.i - s.i) <= 40").zipWithIndex
      ((layout, cells), j) <- Seq("1x2" -> 2, "2x3" -> 6).zipWithIndex
      adaptive <- Sample.turn(Seq("true", "false"), i + j)
    } withSettings("spark.sql.adaptive.enabled" -> adaptive) {
      val df = spark.sql(query("JOIN", on, "matrix", layout))
      assert(df.select(spark_partition_id()).distinct().count() == cells)
    }
  }

  test("each pair of rows is compared once") {
    val df = spark.sql(query("JOIN", "r.id < s.id", "matrix", "3x4"))
    df.collect()
    val m = windowJoins(df).head.metrics
    assert(m("comparisons").value == TestTables.Rows * TestTables.Rows)
    assert(m("rowsKept").value == 3 * TestTables.Rows) // the right side's rows, one in each row
  }

  private def slicesOf(text: String): Seq[Seq[Row]] =
    withSettings("spark.sql.adaptive.enabled" -> "false") {
      collect(executed(spark.sql(text))) { case s: SliceExec => s }.map { slices =>
        slices.executeCollect().toSeq.map { row =>
          Row.fromSeq(slices.output.indices.map(i => row.get(i, slices.output(i).dataType)))
        }
      }
    }

  private def cellsOf(rows: Seq[Row]): Seq[Int] =
    rows.groupBy(row => row.getLong(row.length - 1)).values.map(_.size).toSeq

  test("rows that are all alike fill the cells evenly") {
    val same = "(SELECT id % 1 AS one FROM range(0, 240, 1, 3))"
    val text = s"SELECT /*+ WINDOW_JOIN('matrix', '3x4') */ count(*) FROM $same a JOIN $same b " +
      "ON a.one <= b.one"
    val sides = slicesOf(text)
    assert(sides.map(_.size) == Seq(4 * 240, 3 * 240))
    for ((side, share) <- sides.zip(Seq(240 / 3, 240 / 4))) {
      val cells = cellsOf(side)
      assert(cells.size == 12)
      assert(cells.forall(n => math.abs(n - share) <= 3), cells)
    }
    assert(spark.sql(text).head().getLong(0) == 240 * 240)
  }

  /** What a task that is run again may see: the rows of its partition in another order. */
  test("the order of a partition's rows does not change the cell of any") {
    val rows =
      "SELECT id % 11 AS a, if(id % 3 = 0, NULL, id % 5) AS b, id FROM range(0, 400, 1, 1)"
    def sliced(order: String) = slicesOf(
      s"SELECT /*+ WINDOW_JOIN('matrix', '3x4') */ * FROM ($rows ORDER BY $order) a " +
        s"JOIN ($rows ORDER BY $order) b ON a.a < b.id"
    ).map(_.map(_.toString).sorted)
    withSettings("spark.sql.execution.removeRedundantSorts" -> "false") {
      val orders = Seq("id", "id DESC", "a, b, id").map(o => sliced(s"$o LIMIT 400"))
      assert(orders.head.map(_.size) == Seq(1600, 1200))
      assert(orders.distinct.size == 1)
    }
  }

  test("an algorithm or a layout that is set is for the joins that can be run by it") {
    withSettings(ScaleGateConf.JoinAlgorithm -> "matrix", ScaleGateConf.JoinLayout -> "2x3") {
      val usual = "SELECT r.id, s.id FROM r JOIN s ON "
      val matrix = "matrix of 2 x 3 cells, as set (as set)"
      assert(nodes(usual + bounded.head._1).head.description.endsWith(matrix))
      assertJoins(usual + bounded.head._1)
      assertLeftAlone(usual + unbounded.head)
      assert(
        !nodes(usual + "r.k = s.k AND " + bounded.head._1).head.description.contains("matrix")
      )
      val other = nodes(query("LEFT JOIN", unbounded.head)).head.description
      assert(other.endsWith("matrix of 2 x 1 cells, each left row in one (as set)"))
    }
  }

  test("a self-join, and a join on the join's rows") {
    assertJoins(
      "SELECT /*+ WINDOW_JOIN(a, b, '2x2') */ a.id, b.id, c.id FROM r a JOIN r b ON a.i < b.h " +
        "JOIN s c ON c.k = b.k AND abs(c.i - a.i) <= 2"
    )
    val left = spark.table("r").select("id", "i")
    val own =
      left.as("a").hint("window_join", "auto", "2x2").join(left.as("b"), col("a.i") > col("b.i"))
    assert(rowsOf(own) == plainSpark(rowsOf(left.as("a").join(
      left.as("b"),
      col("a.i") > col("b.i")
    ))))
    assert(windowJoins(own).size == 1)
  }

  test("an exception inside the condition ends the query with that exception") {
    val e = intercept[Exception] {
      spark.sql(query("JOIN", "1 / (r.id - s.id) > 0", "matrix", "2x2")).collect()
    }
    assert(causes(e).exists(_.getMessage.contains("DIVIDE_BY_ZERO")))
  }
}
