package io.scalegate.spark.join.stream.realtime

import org.apache.spark.sql.Encoders
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.spark.join.stream.Event
import io.scalegate.stream.Side

/** Joins of a stream with a table under `trigger(realTime=…)`. */
final class RealTimeTableSuite extends RealTimeSuite {
  private val near = "abs(l.x - t.x) <= 1"
  private val pairs = "SELECT l.id AS a, t.id AS b FROM l"

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .createDataset(Seq(at(10, 1, x = 5), at(11, 2, x = 7), at(12, 3, x = 100)))(
        Encoders.product[Event]
      )
      .createOrReplaceTempView("t")
  }

  private def events = Seq(at(10, 1, x = 6), at(10, 2, x = 50))

  for (
    (query, rows) <- Seq(
      s"$pairs JOIN t ON $near" -> Seq("[1,1]", "[1,2]"),
      s"$pairs LEFT JOIN t ON $near" -> Seq("[1,1]", "[1,2]", "[2,null]"),
      s"SELECT t.id AS a, l.id AS b FROM t RIGHT JOIN l ON $near" ->
        Seq("[1,1]", "[2,1]", "[null,2]"),
      s"SELECT l.id AS a, 0 AS b FROM l LEFT SEMI JOIN t ON $near" -> Seq("[1,0]"),
      s"SELECT l.id AS a, 0 AS b FROM l LEFT ANTI JOIN t ON $near" -> Seq("[2,0]"),
      s"$pairs JOIN t ON l.k = t.k AND $near" -> Seq("[1,1]", "[1,2]"),
      s"$pairs JOIN t ON t.x BETWEEN l.x - 1 AND l.id + 6" -> Seq("[1,1]", "[1,2]")
    )
  )
    test(s"each row has its answer when it comes: $query") {
      withRunning(query) { q =>
        q.add(Side.R, 0, events: _*)
        assert(q.rows(rows) == rows)
        assert(q.progress.isEmpty, "the batch was over")
        q.add(Side.R, 1, events.map(e => e.copy(id = e.id + 10)): _*)
        val later = rows.size * 2
        eventually(q.collected.rows.distinct.size == later)
      }
    }

  test("a table that Spark would not broadcast is") {
    withSettings(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
      for (on <- Seq(near, s"l.k = t.k AND $near", "asof(l.ts, t.ts, 'forward') AND t.id = 2"))
        withRunning(s"SELECT l.id AS a, t.id AS b FROM l JOIN t ON $on") { q =>
          q.add(Side.R, 0, events: _*)
          q.rows(Seq("[1,2]"))
          assert(q.collected.rows.contains("[1,2]") && q.progress.isEmpty)
        }
    }
  }

  test("a cached table is broadcast once, for all runs and batches") {
    val table = spark.table("t").cache()
    try {
      assert(table.count() == 3)
      for (isKept <- Seq(false, true))
        withRunning(s"$pairs LEFT JOIN t ON $near") { q =>
          q.add(Side.R, 0, events: _*)
          assert(q.rows(Seq("[1,1]", "[1,2]", "[2,null]")).size == 3)
          assert(q.explained.contains("WindowJoinKeptRows") == isKept, q.explained)
        }
    } finally table.unpersist()
  }

  test("a way to join that reads its inputs to their ends is refused") {
    val q = new Running(
      s"SELECT /*+ WINDOW_JOIN('sweep') */ l.id AS a, t.id AS b FROM l JOIN t ON l.k = t.k AND $near"
    )
    try {
      q.start()
      eventually(q.failure.exists(_.contains("the table must be held")))
    } finally q.stop()
  }

  test("where Spark checks its operators, its own join by keys is left to it") {
    withSettings("spark.sql.streaming.realTimeMode.allowlistCheck" -> "true") {
      val q = new Running(s"$pairs JOIN t ON l.k = t.k AND $near")
      try {
        q.start()
        q.add(Side.R, 0, events: _*)
        assert(q.rows(Seq("[1,1]", "[1,2]")) == Seq("[1,1]", "[1,2]"))
      } finally q.stop()
      val hinted =
        new Running(s"SELECT /*+ WINDOW_JOIN */ l.id AS a FROM l JOIN t ON l.k = t.k AND $near")
      try {
        hinted.start()
        eventually(hinted.failure.exists(_.contains("configure(builder, real_time=True)")))
      } finally hinted.stop()
    }
  }

  for (
    (on, rows) <- Seq(
      "asof(l.ts, t.ts)" -> Seq("[1,1]", "[2,1]"),
      "l.k = t.k AND asof(l.ts, t.ts)" -> Seq("[1,1]", "[2,1]"),
      "nearest(l.x, t.x, 1)" -> Seq("[1,2]", "[2,2]")
    )
  )
    test(s"the nearest row of a table: $on") {
      withRunning(s"SELECT l.id AS a, t.id AS b FROM l LEFT JOIN t ON $on") { q =>
        q.add(Side.R, 0, events.map(e => e.copy(x = e.x.map(_ + 1))): _*)
        assert(q.rows(rows) == rows)
        assert(q.progress.isEmpty, "the batch was over")
      }
    }
}
