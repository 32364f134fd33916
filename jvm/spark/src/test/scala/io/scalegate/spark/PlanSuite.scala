package io.scalegate.spark

import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike
import org.apache.spark.sql.functions.abs

/** What EXPLAIN shows, what the metrics count, and how the operator sits in a larger plan. */
final class PlanSuite extends SparkJoinSuite {
  private val keyless =
    "SELECT r.id, s.id FROM r JOIN s ON abs(r.i - s.i) <= 3 AND s.ts BETWEEN r.ts - INTERVAL 1 HOUR AND r.ts"

  private def explain(query: String): String =
    spark.sql(s"EXPLAIN $query").head().getString(0)

  test("EXPLAIN says what slides, what is banded, what is left over and how rows are sliced") {
    val text = explain(keyless + " AND r.name < s.name")
    assert(text.contains("WindowJoin Inner, window: s.ts - r.ts in [-1 hour, 0 seconds]"))
    assert(text.contains("algorithm: sweep over sorted slices, no equality key"))
    assert(text.contains("bands: s.i - r.i in [-3, 3]"))
    assert(text.contains("residual: (r.name < s.name)"))
    assert(text.contains("WindowJoinSlice [s.i], replicated at borders"))
  }

  test("EXPLAIN names the keys") {
    val text = explain("SELECT r.id FROM r JOIN s ON r.k = s.k AND abs(r.i - s.i) <= 3")
    assert(text.contains("WindowJoin Inner, keys: r.k = s.k; window: s.i - r.i in [-3, 3]"))
    assert(!text.contains("residual"))
  }

  test("EXPLAIN FORMATTED has one fact a line") {
    val formatted = spark.sql(s"EXPLAIN FORMATTED $keyless").head().getString(0)
    assert(formatted.contains("\nwindow: s.ts - r.ts in [-1 hour, 0 seconds]\n"))
  }

  test("the metrics count rows, comparisons and the window") {
    val df = spark.sql("SELECT r.id, s.id FROM r JOIN s ON r.k = s.k AND abs(r.i - s.i) <= 3")
    val rows = df.collect().length
    val m = windowJoins(df).head.metrics
    assert(m("numOutputRows").value == rows)
    assert(m("comparisons").value >= rows)
    assert(m("rowsKept").value > 0 && m("rowsKept").value <= TestTables.Rows)
    assert(m("peakWindow").value > 0 && m("peakWindow").value <= m("rowsKept").value)
  }

  test("a later aggregate on the join's key needs no exchange of its own") {
    val df = spark.sql(
      "SELECT r.k, count(*) FROM r JOIN s ON r.k = s.k AND abs(r.i - s.i) <= 3 GROUP BY r.k"
    )
    df.collect()
    val exchanges = collect(executed(df)) { case e: ShuffleExchangeLike => e }
    assert(windowJoins(df).size == 1)
    assert(exchanges.size == 2)
  }

  test("adaptive execution re-plans around the join without slicing twice") {
    withSettings("spark.sql.adaptive.coalescePartitions.enabled" -> "true") {
      val query = s"SELECT /*+ MERGE(t) */ t.k, q.id FROM (SELECT r.id, r.k FROM r JOIN s ON " +
        s"abs(r.i - s.i) <= 3) q JOIN r t ON q.k = t.k AND t.id < 5"
      val df = assertedJoin(query)
      val slices = collect(executed(df)) { case s: io.scalegate.spark.join.batch.SliceExec => s }
      assert(slices.size == 2)
    }
  }

  test("the answer does not depend on the number of partitions") {
    val expected = plainSpark(rowsOf(spark.sql(keyless)))
    for (partitions <- 1 to 7)
      withSettings("spark.sql.shuffle.partitions" -> partitions.toString) {
        spark.table("r").repartition(partitions).createOrReplaceTempView("r2")
        assert(rowsOf(spark.sql(keyless.replace("FROM r ", "FROM r2 r "))) == expected)
      }
  }

  test("a DataFrame join is planned like its SQL") {
    val (r, s) = (spark.table("r"), spark.table("s"))
    val df = r.join(s, abs(r("i") - s("i")) <= 3 && r("k") === s("k"))
    assert(windowJoins(df).size == 1)
  }

  test("a cached join is computed by the operator") {
    val df = spark.sql("SELECT r.id, s.id AS other FROM r JOIN s ON abs(r.i - s.i) <= 3").cache()
    try assert(df.count() == plainSpark(
        spark.sql("SELECT r.id FROM r JOIN s ON abs(r.i - s.i) <= 3").count()
      ))
    finally {
      df.unpersist()
      ()
    }
  }
}
