package io.scalegate.spark.join.explain

import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.scalegate.StreamAccess
import org.apache.spark.sql.{DataFrame, Row}

import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.join.WindowJoinNode

/** What the joins of a frame did when it ran. */
final class JoinMetricsTableSuite extends SparkJoinSuite {
  private val near = "s.ts BETWEEN r.ts - INTERVAL 3 HOURS AND r.ts"

  private def joined(algorithm: String, condition: String, how: String = "JOIN"): DataFrame =
    spark.sql(
      s"SELECT /*+ WINDOW_JOIN('$algorithm') */ r.id, s.id AS other FROM r $how s ON $condition"
    )

  private def told(df: DataFrame, per: String = "operator"): Seq[Row] =
    df.hint("join_metrics", per).toDF().collect().toSeq

  private def onlyTold(df: DataFrame): Row = {
    val rows = told(df)
    assert(rows.size == 1)
    rows.head
  }

  test("of an operator: its threads, rows, results, comparisons and how even they are") {
    val df = joined("scalejoin(threads=3)", near)
    val results = df.collect().length.toLong
    val row = onlyTold(df)
    assert(row.getAs[String]("algorithm") == "ScaleJoin on 3 threads in one task (as hinted)")
    assert((row.getAs[Int]("tasks"), row.getAs[Int]("threads")) == ((1, 3)))
    for ((side, table) <- Seq("left_rows" -> "r", "right_rows" -> "s")) {
      val timed = spark.table(table).where("ts IS NOT NULL").count()
      assert(row.getAs[Long](side) == timed, side)
    }
    assert(row.getAs[Long]("results") == results)
    assert(row.getAs[Long]("comparisons") >= results)
    val seconds = row.getAs[Double]("seconds")
    assert(row.getAs[Double]("results_per_second") == results / seconds)
    assert(row.getAs[Double]("share_deviation") < 0.5)
    assert(row.getAs[Long]("peak_window_rows") > 0)
    assert(row.isNullAt(row.fieldIndex("merges")) && row.isNullAt(row.fieldIndex("splitting")))
  }

  test("per task: a row for each thread, whose counts make the operator's") {
    val df = joined("hp(threads=2)", s"r.k = s.k AND $near")
    df.collect()
    val (whole, rows) = (onlyTold(df), told(df, "task"))
    assert(
      rows.map(r => (r.getAs[Int]("task"), r.getAs[Int]("thread"))).distinct.size == rows.size
    )
    assert(rows.size == 2 * whole.getAs[Int]("tasks"))
    assert(rows.map(_.getAs[Long]("comparisons")).sum == whole.getAs[Long]("comparisons"))
    assert(rows.map(_.getAs[Long]("matches")).sum == whole.getAs[Long]("results"))
    assert(math.abs(rows.map(_.getAs[Double]("share")).sum - 1) < 1e-9)
  }

  test("of an index its merges, of keys their splitting") {
    for (name <- Seq("pim(threads=2, merge_ratio=0.001)", "pim1(merge_ratio=0.001)")) {
      val df = joined(name, s"$near AND abs(r.i - s.i) <= 20")
      df.collect()
      assert(onlyTold(df).getAs[Long]("merges") > 0, name)
    }
    val byData = joined("dp(threads=3)", s"r.k = s.k AND $near")
    byData.collect()
    val row = onlyTold(byData)
    assert(row.getAs[Double]("splitting") == 3.0 && row.getAs[Int]("highest_splitting") == 3)
  }

  test("of adaptive workers how often their layout has changed: not where it is the best") {
    for ((layout, changes) <- Seq("1x4" -> true, "4x1" -> false)) {
      val df = spark.sql(
        s"""SELECT /*+ WINDOW_JOIN('dp-join(layout=$layout, adaptive=true)') */ l.id
           |FROM (SELECT id, timestamp_seconds(id) ts FROM range(6000)) l
           |JOIN (SELECT id, timestamp_seconds(20 * id) ts FROM range(300)) s
           |ON s.ts BETWEEN l.ts - INTERVAL 500 SECONDS AND l.ts + INTERVAL 500 SECONDS""".stripMargin
      )
      df.collect()
      val row = onlyTold(df)
      assert((row.getAs[Int]("layout_changes") > 0) == changes, layout)
      assert(row.getAs[Int]("threads") == 4)
    }
    val fixed = joined("dp-join(layout=1x4)", near)
    fixed.collect()
    val row = onlyTold(fixed)
    assert(row.isNullAt(row.fieldIndex("layout_changes")))
  }

  test("of a join that Spark's tasks run: results and comparisons") {
    val df = joined("index", s"r.k = s.k AND $near")
    val results = df.collect().length.toLong
    val row = onlyTold(df)
    assert(row.getAs[String]("algorithm").contains("index"))
    assert(row.getAs[Long]("results") == results && row.getAs[Long]("comparisons") >= results)
    assert(row.isNullAt(row.fieldIndex("threads")) && told(df, "task").isEmpty)
  }

  test("a count, a write and a frame made of it are runs of the frame; the newest is told of") {
    val df = joined("scalejoin(threads=2)", s"$near AND r.id % 5 = 1")
    df.count()
    val counted = onlyTold(df)
    df.write.format("noop").mode("overwrite").save()
    df.where("id < 50").collect()
    val results = onlyTold(df).getAs[Long]("results")
    assert(results < counted.getAs[Long]("results"))
  }

  test("a frame that runs again tells of its newest run alone") {
    for (adaptive <- Seq("true", "false"))
      withSettings("spark.sql.adaptive.enabled" -> adaptive) {
        val df = joined("hp(threads=2)", s"r.k = s.k AND $near AND r.id % 2 = 1")
        val results = df.collect().length.toLong
        val first = onlyTold(df)
        df.collect()
        val again = onlyTold(df)
        assert(again.getAs[Long]("results") == results && first.getAs[Long]("results") == results)
        assert(again.getAs[Long]("comparisons") == first.getAs[Long]("comparisons"))
        assert(again.getAs[Long]("left_rows") == first.getAs[Long]("left_rows"))
        val threads = told(df, "task")
        assert(threads.map(_.getAs[Long]("matches")).sum == results)
      }
  }

  test("a row for each join, a subquery's too") {
    val one = s"SELECT r.id FROM r JOIN s ON $near AND abs(r.i - s.i) <= 2"
    val df = spark.sql(
      s"SELECT /*+ WINDOW_JOIN('pim') */ r.id FROM r JOIN s ON $near WHERE r.id < (SELECT max(id) FROM ($one))"
    )
    df.collect()
    assert(told(df).map(_.getAs[Int]("operator")) == Seq(0, 1))
  }

  test("a frame that has not run, or without a join of ours, is refused") {
    for (
      df <- Seq(joined("scalejoin", s"$near AND r.id > 17"), spark.table("r").where("id > 3"))
    ) {
      val refusal = intercept[IllegalArgumentException](told(df))
      assert(refusal.getMessage.contains("no figures are known of this frame's joins"))
    }
  }

  test("what figures are told of is one of two") {
    val refusal =
      intercept[IllegalArgumentException](told(joined("scalejoin", near), "source"))
    assert(refusal.getMessage.contains("JOIN_METRICS tells figures per 'operator'"))
  }

  test("no more than the last queries are remembered") {
    val first = joined("scalejoin", s"$near AND r.id % 3 = 0")
    first.collect()
    assert(told(first).size == 1)
    for (i <- 1 to RecentQueries.Most) joined("scalejoin", s"$near AND r.id > $i").collect()
    intercept[IllegalArgumentException](told(first))
  }

  test("batches of a stream beside a table are not: there is no end to them") {
    val first = joined("scalejoin", near)
    first.collect()
    assert(told(first).size == 1)
    val known = RecentQueries.last.map(_.id)
    val path = newDirectory().resolve("events").toString
    spark.range(9).write.parquet(path)
    val placed = spark.readStream
      .schema("id BIGINT")
      .parquet(path)
      .join(spark.range(5).toDF("x"), expr("abs(id - x) <= 1"))
    val query = placed.writeStream
      .format("noop")
      .option("checkpointLocation", newDirectory().toString)
      .start()
    try {
      query.processAllAvailable()
      assert(collect(StreamAccess.lastPlan(query)) { case w: WindowJoinNode => w }.nonEmpty)
    } finally query.stop()
    // It is told of when Spark has told all.
    assert(told(first).size == 1)
    assert(RecentQueries.last.map(_.id) == known)
  }
}
