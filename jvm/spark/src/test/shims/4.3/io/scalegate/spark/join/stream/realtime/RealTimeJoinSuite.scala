package io.scalegate.spark.join.stream.realtime

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.Row

import io.scalegate.Sample
import io.scalegate.spark.join.stream.Event
import io.scalegate.stream.{Side, Sides}
import io.scalegate.tags.Streaming

/** Joins under `trigger(realTime=…)`: the rows of the same query over tables, whatever the order of arrival, and across
  * batches and restarts.
  */
@Streaming
class RealTimeJoinSuite extends RealTimeSuite {
  private val within = "r.ts BETWEEN l.ts - INTERVAL 1 SECOND AND l.ts + INTERVAL 1 SECOND"

  test("a pair comes as soon as its later row does") {
    withRunning(s"SELECT l.id AS a, r.id AS b FROM l JOIN r ON $within AND abs(l.x - r.x) <= 1") {
      q =>
        q.add(Side.R, 0, at(10, 1))
        q.add(Side.S, 1, at(10.5, 2))
        assert(q.rows(Seq("[1,2]")) == Seq("[1,2]"))
        q.add(Side.R, 1, at(11, 3), at(20, 4))
        assert(q.rows(Seq("[1,2]", "[3,2]")) == Seq("[1,2]", "[3,2]"))
    }
  }

  test("a row is unmatched when all sources have passed its window, and no sooner") {
    withRunning(s"SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON l.k = r.k AND $within") { q =>
      q.add(Side.R, 0, at(10, 1))
      q.add(Side.R, 1, at(20, 2))
      q.add(Side.R, 0, at(20, 3))
      q.add(Side.S, 0, at(20.9, 11))
      assert(q.rows(Seq("[2,11]", "[3,11]")) == Seq("[2,11]", "[3,11]"))
      // A partition that lags still has the row's match.
      q.add(Side.S, 1, at(10.5, 12))
      assert(q.rows(Seq("[1,12]")).contains("[1,12]"))
      q.add(Side.R, 0, at(30, 4))
      q.add(Side.R, 1, at(30, 5))
      q.add(Side.S, 0, at(40, 13))
      q.add(Side.S, 1, at(40, 14))
      q.add(Side.R, 0, at(40, 6))
      q.add(Side.R, 1, at(40, 7))
      assert(q.rows(Seq("[4,null]", "[5,null]")).filter(_.endsWith("null]")) == Seq(
        "[4,null]",
        "[5,null]"
      ))
    }
  }

  test("what the last row of a burst promises does not wait for another row") {
    withRunning(s"SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON l.k = r.k AND $within") { q =>
      // The rows of the two keys are in two tasks.
      for (side <- Seq(Side.R, Side.S); p <- 0 until Partitions)
        q.add(side, p, at(10, p + 1L, if (side eq Side.R) 1 else 3), at(40, p + 11L, k = 2))
      val unmatched = Seq("[1,null]", "[2,null]")
      q.rows(unmatched)
      assert(unmatched.toSet.subsetOf(q.collected.rows.toSet))
    }
  }

  private val keyed = s"l.k = r.k AND $within AND l.x <= r.x + 2"
  private val cells = s"$within AND l.x BETWEEN r.x - 1 AND r.x + 1"
  private val alone = s"$within AND l.x * r.x % 3 = 1"

  private val overlap = Seq("r" -> "l", "l" -> "r").map { case (a, b) =>
    s"$a.ts <= timestamp_micros(unix_micros($b.ts) + 1000000 * $b.x)"
  }.mkString("l.k = r.k AND ", " AND ", "")

  private val types = Seq("INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI")

  /** Each way, and each type, by some way or other. */
  private def tried = Map(
    "keys" -> Seq("RIGHT", "FULL", "LEFT SEMI"),
    "cells" -> Seq("LEFT"),
    "in one task" -> Seq("INNER"),
    "a matrix" -> Seq("LEFT ANTI"),
    "intervals" -> Seq("FULL"),
    "PIM-Tree" -> Seq("FULL"),
    "HP by keys" -> Seq("LEFT"),
    "ScaleJoin" -> Seq("INNER")
  )

  for {
    (name, on, hint) <- Seq(
      ("keys", keyed, ""),
      ("cells", cells, ""),
      ("in one task", alone, ""),
      ("a matrix", cells, "/*+ WINDOW_JOIN(l, r, 'matrix', '2x1') */"),
      ("intervals", overlap, ""),
      ("PIM-Tree", cells, "/*+ WINDOW_JOIN('pim(threads=2)') */"),
      ("HP by keys", keyed, "/*+ WINDOW_JOIN('hp(threads=2)') */"),
      ("ScaleJoin", alone, "/*+ WINDOW_JOIN('scalejoin(threads=2)') */")
    )
    kind <- types
    if tried(name).contains(kind) ||
      (Sample.isSoak && (name != "a matrix" || Seq("INNER", "LEFT SEMI").contains(kind)))
  } test(s"$kind join by $name: the rows of tables, over batches and a restart") {
    val columns = if (kind.contains(" ")) "l.id AS a" else "l.id AS a, r.id AS b"
    checkRandom(
      s"SELECT $hint $columns FROM l $kind JOIN r ON $on",
      name.length * 31L + kind.length
    )
  }

  private def checkRandom(query: String, seed: Long): Unit = {
    val random = new Random(seed)
    val parts = Sides.each(_ => Vector.fill(Partitions)(randomEvents(random)))
    // Before, for Spark starts no batch while another query needs the slots.
    val expected = plainRows(query, parts)
    val q = new Running(query, trigger = "1 second").start()
    try {
      def half(from: Int): Unit = {
        val todo = for {
          side <- Seq(Side.R, Side.S)
          p <- 0 until Partitions
        } yield (side, p, parts(side)(p).slice(from, from + 30).iterator.grouped(10))
        feed(q, random, todo)
      }
      half(0)
      // Spark goes on with no query that was stopped while it committed the first batch.
      eventually(q.progress.nonEmpty)
      q.stop()
      q.start()
      half(30)
      // A window of rows moves on by more than one of them.
      val ends = for {
        seconds <- Seq(1000, 2000, 3000); side <- Seq(Side.R, Side.S); p <- 0 until Partitions
      } yield (side, p, at(seconds + p, 1000000L + p, k = 77, x = 1000))
      ends.foreach { case (side, p, event) => q.add(side, p, event) }
      val got = q.rows(expected)
      Thread.sleep(100)
      assert(q.rows(expected).filterNot(_.contains("100000")) == expected, s"seed $seed; $got")
    } finally q.stop()
  }

  private def feed(
      q: Running,
      random: Random,
      todo: Seq[(Side, Int, Iterator[Seq[Event]])]
  ): Unit = {
    var open = todo
    while (open.nonEmpty) {
      val (side, p, rest) = open(random.nextInt(open.length))
      if (rest.hasNext) q.add(side, p, rest.next(): _*)
      open = open.filter(_._3.hasNext)
      if (random.nextInt(2) == 0) Thread.sleep(random.nextInt(100).toLong)
    }
  }

  for (
    (how, hint) <- Seq(
      "that are asked for in order" -> "'ordered'",
      "of ScaleJoin that are" -> "'scalejoin(threads=2)', 'ordered'"
    )
  ) test(s"rows $how come in the order of their times") {
    val query =
      s"SELECT /*+ WINDOW_JOIN(l, r, $hint) */ l.id AS a, r.id AS b, greatest(l.ts, r.ts) AS t " +
        s"FROM l LEFT JOIN r ON $within AND l.x = r.x"
    val random = new Random(5)
    val parts = Sides.each(_ => Vector.fill(Partitions)(randomEvents(random)))
    // Before, for Spark starts no batch while another query needs the slots.
    val expected = plainRows(query.replace(s"/*+ WINDOW_JOIN(l, r, $hint) */", ""), parts)
    val q = new Running(query).start()
    try {
      for (side <- Seq(Side.R, Side.S); p <- 0 until Partitions)
        q.add(side, p, parts(side)(p) :+ at(500, 1000L + p): _*)
      val got = q.rows(expected).filter(expected.toSet)
      assert(got == expected)
      val times = q.collected.rows.filter(expected.toSet).filterNot(_.contains("null"))
        .map(_.split(',').last)
      assert(times.nonEmpty && times == times.sorted)
    } finally q.stop()
  }

  for (
    (how, rows, hint) <- Seq(
      ("INNER", "array(2, 3)", ""),
      ("FULL", "array(1, 2)", "/*+ WINDOW_JOIN('scalejoin(threads=2)') */ ")
    )
  )
    test(s"a window of rows, whatever the order in which the streams come: $how join $hint") {
      val query =
        s"SELECT ${hint}l.id AS a, r.id AS b FROM l $how JOIN r ON within_rows(l.ts, r.ts, $rows) AND l.k = r.k"
      checkRandom(query, 11L)
    }

  // A query with the row before goes on in batches below.
  private val nearest = Seq(
    (
      "the last rows of each key",
      "LEFT SEMI",
      "within_rows(l.ts, r.ts, 4, l.k, r.k) AND l.x < r.x"
    ),
    (
      "the row after, without a key",
      "INNER",
      "asof(l.ts, r.ts, 'forward', INTERVAL 2 SECONDS, true, r.id)"
    ),
    (
      "the two nearest rows",
      "LEFT",
      "l.k = r.k AND nearest(l.ts, r.ts, 2, INTERVAL 1 SECOND, 'nearest', true, r.id)"
    ),
    (
      "the nearest row that is greater",
      "LEFT ANTI",
      "l.k = r.k AND asof(l.ts, r.ts, 'nearest', INTERVAL 3 SECONDS, true, r.id) AND l.x < r.x"
    ),
    ("the last rows of each key", "INNER", "within_rows(l.ts, r.ts, 3, l.k, r.k)"),
    ("the row before", "LEFT", "l.k = r.k AND asof(l.ts, r.ts, 'backward', NULL, true, r.id)")
  )

  for ((name, how, on) <- Sample.some(nearest, 4))
    test(s"$how join with $name: the rows of tables, over batches and a restart") {
      val columns = if (how.contains(" ")) "l.id AS a" else "l.id AS a, r.id AS b"
      checkRandom(s"SELECT $columns FROM l $how JOIN r ON $on", name.length * 37L)
    }

  for (
    (name, key, interval) <- Seq(
      ("before each row", "q.k = l.k AND ", "l.ts - INTERVAL 2 SECONDS AND l.ts"),
      (
        "around each row, without a key",
        "",
        "l.ts - INTERVAL 1 SECOND AND l.ts + INTERVAL 1 SECOND"
      )
    )
  ) test(s"aggregates of the rows $name: those of tables, over batches and a restart") {
    checkRandom(
      "SELECT l.id AS a, f.n, f.s FROM l, LATERAL (SELECT count(*) AS n, sum(q.x) AS s FROM r q " +
        s"WHERE ${key}q.ts BETWEEN $interval) f",
      name.length * 41L
    )
  }

  for (
    (name, how, on) <- Seq(
      ("", "FULL", s"l.k = r.k AND $within"),
      (" as of a time", "LEFT", "l.k = r.k AND asof(l.ts, r.ts, 'backward', NULL, true, r.id)")
    )
  ) test(
    s"a join$name goes on in batches where Real-Time Mode left it, and the other way round"
  ) {
    val random = new Random(31)
    val query = s"SELECT l.id AS a, r.id AS b FROM l $how JOIN r ON $on"
    // In batches a watermark goes by the partition that is ahead: none may lag.
    val parts = Sides.each(_ => Vector.fill(Partitions)(randomEvents(random, start = 5)))
    val expected = plainRows(query, parts)
    val q = new Running(query, trigger = "1 second")
    def add(from: Int, until: Int): Unit =
      for (side <- Seq(Side.R, Side.S); p <- 0 until Partitions)
        q.add(side, p, parts(side)(p).slice(from, until): _*)
    add(0, 15)
    q.runInBatches()
    q.start()
    add(15, 30)
    eventually(q.progress.exists(_.numInputRows > 0))
    q.stop()
    q.runInBatches()
    add(30, 45)
    q.runInBatches()
    add(45, 60)
    q.start()
    for (side <- Seq(Side.R, Side.S); p <- 0 until Partitions)
      q.add(side, p, at(1000, 1000000L + p, k = 77))
    try assert(q.rows(expected).filterNot(_.contains("100000")) == expected)
    finally q.stop()
  }

  test("keys that several partitions share are refused") {
    val q =
      new Running(s"SELECT l.id AS a FROM l JOIN r ON l.k = r.k AND $within", "1 second").start()
    try {
      eventually(q.progress.nonEmpty)
      q.stop()
      q.shareKey()
      q.start()
      eventually(q.failure.exists(_.contains("share the rows of 1 keys")))
    } finally q.stop()
  }

  test("a condition that throws ends the query, and its threads") {
    spark.udf.register("throws", (x: Int) => { require(x < 7, "as asked"); true })
    withRunning(s"SELECT l.id AS a FROM l JOIN r ON $within AND throws(l.x + r.x)") { q =>
      q.add(Side.R, 0, at(10, 1))
      q.add(Side.S, 0, at(10, 2))
      eventually(q.failure.exists(_.contains("as asked")))
    }
    eventually(!Thread.getAllStackTraces.keySet.asScala.exists(_.getName.contains("real-time")))
  }

  for (
    (name, timeout, batch) <- Seq(
      ("that sends nothing is left out after a while", "300ms", "60 seconds"),
      ("that is silent for longer than a batch lasts is left out", "2s", "1 second")
    )
  ) test(s"a source $name") {
    withSettings("spark.scalegate.realTime.idleTimeout" -> timeout) {
      withRunning(s"SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON $within", batch) { q =>
        q.add(Side.R, 0, at(10, 1))
        q.add(Side.S, 0, at(100, 2))
        val seconds = Iterator.from(100)
        eventually {
          val second = seconds.next()
          q.add(Side.R, 0, at(second, 1000L + second))
          q.add(Side.S, 0, at(second, 5000L + second))
          q.collected.rows.contains("[1,null]")
        }
      }
    }
  }

  test("what a source has passed holds in later batches, and after a restart") {
    val q = new Running(
      s"SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON l.k = r.k AND $within",
      "1 second"
    ).start()
    try {
      q.add(Side.R, 0, at(10, 1))
      q.add(Side.R, 0, at(100, 2))
      q.add(Side.R, 1, at(100, 3))
      nextBatch(q)
      q.stop()
      q.start()
      q.add(Side.S, 1, at(100, 4))
      nextBatch(q)
      q.add(Side.S, 0, at(100, 5))
      assert(q.rows(Seq("[1,null]")).contains("[1,null]"))
    } finally q.stop()
  }

  test("late rows are dropped and counted") {
    withRunning(s"SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON $within", "2 seconds") { q =>
      for (p <- 0 until Partitions) {
        q.add(Side.R, p, at(100, 1L + p))
        q.add(Side.S, p, at(100, 11L + p))
      }
      q.rows(Seq("[1,11]", "[1,12]", "[2,11]", "[2,12]"))
      q.add(Side.R, 0, at(50, 5))
      q.add(Side.S, 0, at(50.5, 15), at(101, 16))
      q.rows(Seq("[1,16]"))
      assert(!q.collected.rows.exists(_.contains("5]")))
      eventually(q.progress.exists(_.stateOperators.map(_.numRowsDroppedByWatermark).sum == 2))
    }
  }

  test("what does not run in Real-Time Mode is refused, with what to do") {
    def refused(query: String): String = {
      val e = intercept[Exception](new Running(query).start())
      Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).map(_.getMessage).mkString
    }
    val join = s"SELECT l.id FROM l JOIN r ON $within"
    withSettings("spark.sql.streaming.realTimeMode.allowlistCheck" -> "true") {
      assert(refused(join).contains("scalegate.configure(builder, real_time=True)"))
    }
    spark.range(3).selectExpr("timestamp_seconds(id) AS ts").createOrReplaceTempView("t")
    val counted =
      "SELECT l.id, (SELECT count(*) FROM t WHERE t.ts BETWEEN l.ts - INTERVAL 1 SECOND AND l.ts) AS n FROM l"
    assert(refused(counted).contains("a subquery that aggregates the rows of a table"))
  }

  test("a join above what mixes sources is refused") {
    for {
      below <- Seq("(SELECT DISTINCT * FROM l)", "(SELECT /*+ REPARTITION(2, k) */ * FROM l)")
    } {
      val e = intercept[Exception](
        new Running(s"SELECT l.id FROM $below AS l JOIN r ON $within").start()
      )
      assert(e.getMessage.contains("a join of two streams above a"), below)
    }
  }

  test("EXPLAIN says that rows are joined as they come") {
    withRunning(s"SELECT l.id FROM l JOIN r ON l.k = r.k AND $within") { q =>
      q.add(Side.R, 0, at(1, 1))
      q.add(Side.S, 0, at(1, 2))
      q.rows(Seq("[1]"))
      assert(q.explained.contains("real time: as the rows come"))
      assert(q.explained.contains("WindowJoinProgress [l.k]"))
    }
  }

  private def figures(q: Running, per: String): Seq[Row] =
    spark.sql(s"SELECT * FROM stream_metrics('${q.run}', '$per')").collect().toSeq

  test("a join tells what it has done, while it runs and after") {
    val query = s"SELECT l.id AS a, r.id AS b FROM l JOIN r ON l.k = r.k AND $within"
    withRunning(query, "5 seconds") { q =>
      assert(figures(q, "operator").isEmpty)
      for (k <- 1 to 6) {
        q.add(Side.R, 0, at(10, k.toLong, k))
        q.add(Side.S, k % 2, at(10, k + 10L, k))
      }
      q.add(Side.R, 1, at(5, 7, k = 99))
      def one = figures(q, "operator").headOption
      eventually(one.exists(_.getAs[Long]("right_rows") == 6))
      eventually(one.exists(_.getAs[Long]("left_rows") == 7))
      val told = one.get
      assert(told.getAs[Long]("operator") == 0 && told.getAs[Int]("tasks") == 2)
      assert(told.getAs[Long]("results") == 6 && told.getAs[Long]("comparisons") >= 6)
      assert(told.getAs[Double]("rows_per_second") > 0 && told.getAs[Long]("state_rows") == 13)
      val latencies = Seq("p50", "p90", "p99", "max").map(p =>
        told.getAs[Double](s"latency_${p}_ms")
      )
      assert(latencies.head > 0 && latencies == latencies.sorted)
      assert(told.getAs[Double]("event_latency_max_ms") > 3000000)
      val tasks = figures(q, "task")
      assert(tasks.map(_.getAs[Int]("task")) == Seq(0, 1))
      assert(math.abs(tasks.map(_.getAs[Double]("share")).sum - 1) < 1e-9)
      assert(tasks.map(_.getAs[Long]("results")).sum == 6)
      val sources = figures(q, "source")
      assert(sources.map(r =>
        (r.getAs[String]("side"), r.getAs[Int]("source"), r.getAs[Long]("rows"))
      ) ==
        Seq(("left", 0, 6L), ("left", 1, 1L), ("right", 0, 3L), ("right", 1, 3L)))
      assert(sources.map(_.getAs[Double]("lag_ms")) == Seq(0.0, 5000.0, 0.0, 0.0))
      assert(sources.forall(!_.getAs[Boolean]("idle")))
      eventually(q.progress.exists(_.numInputRows > 0))
      val progress = q.progress.get.stateOperators.head.customMetrics
      assert(progress.get("latencyP50Micros") > 0 &&
        progress.get("latencyMaxMicros") >= progress.get("latencyP99Micros"))
      assert(progress.get("sources") == 4 && progress.get("idleSources") == 0)
      assert(progress.get("sourceLagMaxMicros") == 5000000)
    }
  }

  test("stream_metrics refuses what it does not know, with what to do") {
    def refused(call: String) = intercept[Exception](spark.sql(s"SELECT * FROM $call")).getMessage
    assert(refused("stream_metrics('none')").contains("take query.runId"))
    assert(refused("stream_metrics(1)").contains("as in stream_metrics('f2b5"))
    withRunning(s"SELECT l.id FROM l JOIN r ON $within") { q =>
      q.add(Side.R, 0, at(10, 1))
      q.add(Side.S, 0, at(10, 2))
      q.rows(Seq("[1]"))
      assert(refused(s"stream_metrics('${q.run}', 'all')").contains("not per 'all'"))
    }
  }

  test("other operators are allowed as Spark allows them") {
    withRunning(s"SELECT /*+ COALESCE(1) */ l.id FROM l JOIN r ON $within") { q =>
      q.add(Side.R, 0, at(1, 1))
      eventually(q.failure.exists(_.contains("CoalesceExec is not in the operator allowlist")))
    }
  }

  test("an aggregate over sliding windows stays Spark's") {
    val query = "SELECT window(ts, '4 seconds', '1 second') AS w, count(*) AS n FROM l GROUP BY 1"
    withRunning(query) { q =>
      q.add(Side.R, 0, at(10, 1))
      eventually(q.collected.rows.size == 4)
    }
  }
}
