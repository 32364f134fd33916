package io.scalegate.spark.join

import org.apache.spark.sql.execution.SortExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.settings.ScaleGateConf

/** Left, right, semi and anti joins against plain Spark: one decision for each row, wherever its matches are.
  *
  * @param every
  *   1, or more to have each condition in one of so many join types, and above 2 whatever else is tried by turns
  */
abstract class JoinTypesContract(every: Int) extends SparkJoinSuite {
  private val conditions = Seq(
    "abs(r.i - s.i) <= 1",
    "abs(r.i - s.i) <= 2 AND abs(r.l - s.l) <= 10",
    "s.ts BETWEEN r.ts - INTERVAL 20 MINUTES AND r.ts",
    "s.ts BETWEEN r.ts - INTERVAL 3 HOURS AND r.ts AND abs(r.x - s.x) <= 1",
    "s.x BETWEEN r.x - 0.25 AND r.x + 0.5 AND r.name <> s.name",
    "abs(r.f - s.f) <= 0.25",
    "s.d BETWEEN r.d - 1 AND r.d AND r.k = 2 AND s.k < 3",
    "s.l - r.l BETWEEN 70 AND 90",
    "r.k = s.k AND abs(r.i - s.i) <= 4",
    "r.k = s.k AND s.ts BETWEEN r.ts - INTERVAL 2 HOURS AND r.ts AND r.x > s.x",
    "r.k = s.k AND r.name = s.name AND abs(r.x - s.x) <= 1",
    "r.k <=> s.k AND abs(r.l - s.l) <= 3"
  )

  private val selected = Seq(
    "LEFT JOIN" -> "r.id, r.i, r.x, r.name, s.id, s.i, s.x, s.ts",
    "RIGHT JOIN" -> "r.id, r.i, r.x, r.ts, s.id, s.i, s.x, s.name",
    "LEFT SEMI JOIN" -> "r.id, r.i, r.x, r.name",
    "LEFT ANTI JOIN" -> "r.id, r.i, r.x, r.name"
  )

  /** All of these where most joins are tried; otherwise the one whose turn it is. */
  private def byTurns[A](all: Seq[A], n: Int): Seq[A] =
    if (every <= 2) all else Sample.turn(all, n)

  selected.zipWithIndex.foreach { case ((joinType, columns), n) =>
    conditions.zipWithIndex.collect { case (c, i) if (i + n) % every == 0 => c }.foreach {
      condition =>
        test(s"$joinType ON $condition") {
          assertJoins(s"SELECT $columns FROM r $joinType s ON $condition")
        }
    }

    test(s"$joinType with nothing on one of the sides") {
      val none = "(SELECT * FROM s WHERE id < 0)"
      withSettings(
        "spark.sql.optimizer.excludedRules" ->
          "org.apache.spark.sql.catalyst.optimizer.PropagateEmptyRelation",
        "spark.sql.adaptive.enabled" -> "false"
      ) {
        val on = "ON abs(r.i - s.i) <= 3"
        val queries = Seq(
          s"SELECT count(*), max(r.i) FROM r $joinType $none s $on",
          s"SELECT count(*), max(r.i) FROM $none r $joinType s $on",
          s"SELECT count(*), max(r.i) FROM $none r $joinType s $on AND r.k = s.k"
        )
        byTurns(queries, n).foreach(assertJoins)
      }
    }

    test(s"$joinType gives the same rows on any number of partitions") {
      byTurns(Seq(1, 2, 7), n).foreach { partitions =>
        withSettings("spark.sql.shuffle.partitions" -> partitions.toString) {
          assertJoins(s"SELECT $columns FROM r $joinType s ON ${conditions(3)}")
        }
      }
    }
  }

  test("columns that an input never has NULLs in have them where a row has no match") {
    Seq("LEFT", "RIGHT").zipWithIndex.foreach { case (joinType, n) =>
      val equal = Seq("abs(r.i - s.i) <= 0", "r.k = s.k AND abs(r.i - s.i) <= 0")
      byTurns(equal, n).foreach { condition =>
        assertJoins(s"SELECT * FROM r $joinType JOIN s ON $condition AND r.x > 0 AND s.x > 0")
      }
    }
  }

  test("EXISTS and NOT EXISTS become semi and anti joins") {
    Seq("EXISTS", "NOT EXISTS").foreach { exists =>
      assertJoins(
        s"SELECT r.id FROM r WHERE $exists (SELECT 1 FROM s WHERE abs(r.i - s.i) <= 1 AND s.k = 1)"
      )
    }
  }

  test("joins of several types follow on each other") {
    assertJoins(
      "SELECT a.id, b.id, c.id FROM r a LEFT JOIN s b ON abs(a.i - b.i) <= 1 " +
        "RIGHT JOIN r c ON c.k = b.k AND c.ts BETWEEN b.ts - INTERVAL 1 HOUR AND b.ts " +
        "LEFT ANTI JOIN s d ON abs(c.l - d.l) <= 1"
    )
  }

  test("the same inputs in two joins, each side once in one cell and once in several") {
    val (r, s) = (spark.table("r").select("id", "i"), spark.table("s").select("id", "i"))
    def near = org.apache.spark.sql.functions.abs(r("i") - s("i")) <= 2
    val both = r.join(s, near, "left").union(s.join(r, near, "left"))
    val expected = plainSpark(rowsOf(r.join(s, near, "left").union(s.join(r, near, "left"))))
    assert(rowsOf(both) == expected)
    assert(windowJoins(both).size == 2)
  }
}

/** Both inputs are exchanged, as large ones are. With `SCALEGATE_SOAK` in all joins, otherwise in half of them. */
final class JoinTypesSuite extends JoinTypesContract(every = if (Sample.isSoak) 1 else 2) {

  /** Some keys have as many, and others more. */
  override protected def settings: Map[String, String] = Map(ScaleGateConf.SweepAbove -> "3")

  test("EXPLAIN names the join's type") {
    Seq("LEFT" -> "LeftOuter", "RIGHT" -> "RightOuter", "ANTI" -> "LeftAnti").foreach {
      case (sql, name) =>
        val text = spark
          .sql(s"EXPLAIN SELECT * FROM r $sql JOIN s ON r.k = s.k AND abs(r.i - s.i) <= 3")
          .head()
          .getString(0)
        assert(text.contains(s"WindowJoin $name, keys: r.k = s.k"))
    }
  }

  test("the output's partitions and the order of its keys serve a later join and a later sort") {
    withSettings(ScaleGateConf.JoinAlgorithm -> "sweep") {
      val joined = "SELECT r.k AS k, r.i AS i, s.id FROM r LEFT JOIN s " +
        "ON r.k = s.k AND abs(r.i - s.i) <= 3"
      // The rows of a key that are few come as they are read.
      for ((order, sorts) <- Seq("k" -> 2, "k, i" -> 3)) {
        val df = spark.sql(s"SELECT * FROM ($joined) SORT BY $order")
        df.collect()
        assert(collect(executed(df)) { case s: SortExec => s }.size == sorts)
      }
      val grouped = spark.sql(s"SELECT k, count(*) FROM ($joined) GROUP BY k")
      grouped.collect()
      assert(collect(executed(grouped)) { case e: ShuffleExchangeLike => e }.size == 2)
    }
  }
}

/** The side that does not decide is indexed in each partition. With `SCALEGATE_SOAK` in all joins. */
final class IndexJoinTypesSuite
    extends JoinTypesContract(every = if (Sample.isSoak) 1 else 4) {
  override protected def settings: Map[String, String] =
    Map(ScaleGateConf.JoinAlgorithm -> "index")
}

/** The side that does not decide is broadcast, as small ones are. With `SCALEGATE_SOAK` in all joins. */
final class BroadcastJoinTypesSuite
    extends JoinTypesContract(every = if (Sample.isSoak) 1 else 4) {
  override protected def settings: Map[String, String] = SmallTables

  test("the side whose rows are all given is not broadcast") {
    Seq("LEFT" -> "right", "RIGHT" -> "left", "SEMI" -> "right", "ANTI" -> "right").foreach {
      case (sql, side) =>
        val text = spark
          .sql(s"EXPLAIN SELECT count(*) FROM r $sql JOIN s ON abs(r.i - s.i) <= 3")
          .head()
          .getString(0)
        assert(text.contains(s"algorithm: index over the broadcast $side side"), sql)
    }
  }
}
