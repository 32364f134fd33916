package io.scalegate.spark.window.stream.realtime

import scala.jdk.CollectionConverters._
import scala.util.Random

import io.scalegate.Sample
import io.scalegate.spark.join.stream.Event
import io.scalegate.spark.join.stream.realtime.RealTimeSuite
import io.scalegate.stream.{Side, Sides}
import io.scalegate.tags.Streaming

/** Aggregates over sliding windows under `trigger(realTime=…)`: the rows of the same query over tables, each once where
  * windows are given when they are through, whatever the order of arrival, and across batches, restarts and triggers.
  */
@Streaming
class RealTimeWindowsSuite extends RealTimeSuite {
  private val Setting = "spark.scalegate.realTime.windows"
  override protected def settings: Map[String, String] = super.settings + (Setting -> "final")

  private val counts =
    "SELECT k, w.start AS s, count(*) AS n, sum(x) AS t " +
      "FROM (SELECT k, x, window(ts, '4 seconds', '1 second') AS w FROM l) GROUP BY k, w"

  /** Of a query whose windows are of `l`, over some columns and functions. */
  private def windows(
      functions: String,
      keys: String = "k",
      by: String = "'4 seconds', '1 second'",
      from: String = "l",
      having: String = ""
  ) = {
    val key = if (keys.isEmpty) "" else s"$keys, "
    s"SELECT ${key}window.start AS s, window.end AS e, $functions FROM $from GROUP BY ${key}window(ts, $by) $having"
  }

  private def window(second: Int) = f"1970-01-01 00:00:$second%02d.0"

  test("a window is given once, when all sources have passed its end, and no sooner") {
    withRunning(windows("count(*) AS n", keys = "").replace(", window.end AS e", "")) { q =>
      q.add(Side.R, 0, at(10, 1), at(10.5, 2))
      q.add(Side.R, 1, at(11, 3), at(30, 4))
      Thread.sleep(300)
      assert(q.collected.rows.isEmpty)
      // Two seconds behind, so what ends by 14 is through.
      q.add(Side.R, 0, at(16, 5))
      val through = (7 to 10).map(s => (window(s), if (s < 8) 2 else 3)).map { case (s, n) =>
        s"[$s,$n]"
      }
      assert(q.rows(through) == through.sorted)
      q.add(Side.R, 0, at(30, 6))
      val all = through ++ Seq(s"[${window(11)},1]") ++ (13 to 16).map(s => s"[${window(s)},1]")
      assert(q.rows(all) == all.sorted)
      assert(q.collected.rows == all, "in the order of their ends, each once")
    }
  }

  private val both = "(SELECT * FROM l UNION ALL SELECT * FROM r)"

  private def ofTextAndStruct(functions: String, by: String = "'4 seconds', '1 second'") =
    windows(functions, keys = "concat('key ', k), struct(k)", by = by)
      .replace(
        "concat('key ', k), struct(k), window.start",
        "concat('key ', k) AS a, struct(k) AS b, window.start"
      )

  /** What the others have together, alone. */
  private def alone =
    if (!Sample.isSoak) Nil
    else
      Seq(
        "of no key" -> windows("count(*), sum(x)", keys = ""),
        "that do not divide" -> windows("count(*), sum(x)", by = "'5 seconds', '2 seconds'"),
        "that do not overlap" -> windows("count(*), sum(x), avg(x)", by = "'4 seconds'"),
        "shifted" -> windows("count(*)", by = "'4 seconds', '1 second', '300 milliseconds'"),
        "of two inputs" -> windows("count(*), sum(x)", from = both),
        "values by time" -> windows("first_by_time(x, ts), last_by_time(id, ts)"),
        "text and struct keys" -> ofTextAndStruct("count(*), max_by(id, ts)")
      )

  for {
    (name, query) <- alone ++ Seq(
      "counts and sums by a key" -> windows(
        "count(*), sum(x), avg(x), min(x), max(id), count(k)"
      ),
      "of no key and two inputs, shifted" ->
        windows(
          "count(*), sum(x)",
          keys = "",
          by = "'4 seconds', '1 second', '300 milliseconds'",
          from = both
        ),
      "that do not overlap, of no key, shifted" ->
        windows(
          "count(*), max(id)",
          keys = "",
          by = "'1 second', '1 second', '300 milliseconds'"
        ),
      "functions with filters, and conditions on windows and groups" ->
        (windows(
          "count(*) FILTER (WHERE x > 5), sum(x)",
          keys = "k, x % 2",
          having = "HAVING count(*) > 1 AND second(window.start) % 3 = 1"
        ).replace("k, x % 2, window.start", "k, x % 2 AS y, window.start")),
      "functions whose partial results are objects" ->
        windows("sort_array(collect_list(x)), percentile(x, 0.5), max(concat('a', id))"),
      "that do not divide, values by time, text and struct keys" ->
        ofTextAndStruct(
          "count(*), max_by(id, ts), first_by_time(x, ts), last_by_time(id, ts)",
          by = "'5 seconds', '2 seconds'"
        )
    )
  } test(s"windows $name: the rows of tables, over batches and a restart") {
    checkRandom(query, name.length.toLong)
  }

  for {
    (hint, i) <-
      Seq("mq", "mqlf", "tumlsc", "tumlmc(threads=2)", "wiml", "wiml(panes=true)").zipWithIndex
    // A query by it goes on in batches below.
    if Sample.isSoak || hint != "wiml"
  } test(s"windows by the design $hint: the rows of tables, over batches and a restart") {
    withSettings(Setting -> "spark") {
      val query =
        if (i % 2 == 0) windows("count(*), sum(x), avg(x), max(id)")
        else
          windows(
            "count(*), first_by_time(x, ts)",
            keys = if (i == 1) "" else "k",
            by = "'5 seconds', '1 second', '300 milliseconds'",
            from = both,
            having = "HAVING count(*) > 1 AND second(window.start) % 3 <> 1"
          )
      checkRandom(designed(query, hint), i.toLong)
    }
  }

  private def designed(query: String, design: String) =
    query.replaceFirst("SELECT", s"SELECT /*+ WINDOW_DESIGN('$design') */")

  private def checkRandom(query: String, seed: Long): Unit = {
    val random = new Random(seed)
    val parts = Sides.each(_ => Vector.fill(Partitions)(randomEvents(random)))
    val expected = plainRows(query, parts)
    assert(expected.size > 20)
    val q = new Running(query, trigger = "1 second").start()
    val sides = if (query.contains("FROM r")) Seq(Side.R, Side.S) else Seq(Side.R)
    try {
      val (before, after) = parts.left.head.size match { case n => (n / 2, n) }
      feed(q, random, parts, sides, 0, before)
      eventually(q.progress.nonEmpty)
      q.stop()
      q.start()
      feed(q, random, parts, sides, before, after)
      for (side <- sides; p <- 0 until Partitions) q.add(side, p, at(1000, 1000000L + p, k = 77))
      val got = q.rows(expected)
      Thread.sleep(100)
      assert(got == expected && q.rows(expected) == expected, s"seed $seed")
    } finally q.stop()
  }

  private def feed(
      q: Running,
      random: Random,
      parts: Sides[Vector[Vector[Event]]],
      sides: Seq[Side],
      from: Int,
      until: Int
  ): Unit = {
    var open = for {
      side <- sides; p <- 0 until Partitions
    } yield (side, p, parts(side)(p).slice(from, until).iterator.grouped(10))
    while (open.nonEmpty) {
      val (side, p, rest) = open(random.nextInt(open.length))
      if (rest.hasNext) q.add(side, p, rest.next(): _*)
      open = open.filter(_._3.hasNext)
      if (random.nextInt(2) == 0) Thread.sleep(random.nextInt(100).toLong)
    }
  }

  test("in update mode a window is given whenever rows of it have come") {
    withSettings(Setting -> "update") {
      val random = new Random(3)
      val parts = Sides.each(_ => Vector.fill(Partitions)(randomEvents(random)))
      for (functions <- Seq("count(*), sum(x)", "sort_array(collect_list(x))")) {
        val query = windows(functions)
        val expected = plainRows(query, parts)
        withRunning(query, "1 second") { q =>
          feed(q, random, parts, Seq(Side.R), 0, parts.left.head.size)
          q.rows(expected)
          def of(row: String) = row.split(',').take(2).mkString
          val last = q.collected.rows.map(row => of(row) -> row).toMap
          assert(last.values.toSeq.sorted == expected)
          assert(q.collected.rows.size > expected.size)
        }
      }
    }
  }

  test("a query goes on in batches where Real-Time Mode left it, and the other way round") {
    val random = new Random(31)
    def tumbling(functions: String) = windows(functions, by = "'4 seconds'")
      .replaceFirst("SELECT", "SELECT /*+ WINDOW_EMIT('final') */")
    val objects = "sort_array(collect_list(x))"
    val by = designed(grouped, "wiml(inputs=2)")
    val apart =
      if (Sample.isSoak) Seq(windows(objects), tumbling("count(*), sum(x)")) else Nil
    for (query <- Seq(counts, tumbling(s"count(*), sum(x), $objects"), by) ++ apart) {
      // In batches a watermark goes by the partition that is ahead: none may lag.
      val parts = Sides.each(_ => Vector.fill(Partitions)(randomEvents(random, start = 5)))
      val expected = plainRows(query, parts)
      val q = new Running(query, trigger = "1 second")
      def add(from: Int, until: Int): Unit =
        for (p <- 0 until Partitions) q.add(Side.R, p, parts.left(p).slice(from, until): _*)
      add(0, 15)
      q.runInBatches()
      q.start()
      // One partition is behind the other when the batch ends.
      q.add(Side.R, 0, parts.left(0).slice(15, 32): _*)
      eventually(q.progress.exists(_.numInputRows > 0))
      q.add(Side.R, 1, parts.left(1).slice(15, 30): _*)
      eventually(q.progress.exists(_.numInputRows > 0))
      q.stop()
      q.add(Side.R, 0, parts.left(0).slice(32, 33): _*)
      q.runInBatches()
      q.add(Side.R, 0, parts.left(0).slice(33, 45): _*)
      q.add(Side.R, 1, parts.left(1).slice(30, 45): _*)
      q.runInBatches()
      add(45, 60)
      q.start()
      for (p <- 0 until Partitions) q.add(Side.R, p, at(1000, 1000000L + p, k = 77))
      try assert(q.rows(expected) == expected)
      finally q.stop()
    }
  }

  test("rows of the end of a burst are given without another row") {
    withRunning(windows("count(*)")) { q =>
      for (p <- 0 until Partitions)
        q.add(Side.R, p, (1 to 50).map(n => at(n * 0.2, n.toLong)) :+ at(30, 99): _*)
      q.rows(Seq(s"[1,${window(4)},${window(8)},40]"))
      eventually(q.collected.rows.size == 14)
    }
  }

  private val grouped = windows("count(*) AS n, sum(x) AS t").replace(", window.end AS e", "")

  private val late = Seq(
    "" -> counts,
    " by WiML" -> designed(grouped, "wiml"),
    " by TuMLSC" -> designed(grouped, "tumlsc")
  )

  for ((name, query) <- Sample.some(late, 2))
    test(s"late rows are dropped and counted, those that an open window holds are not$name") {
      checkLate(query)
    }

  private def checkLate(counts: String): Unit =
    withRunning(counts, "2 seconds") { q =>
      for (p <- 0 until Partitions) q.add(Side.R, p, at(10, 1L + p), at(20, 11L + p))
      q.rows(Seq(s"[1,${window(10)},2,10]"))
      assert(q.explained.contains("design: ") == counts.contains("DESIGN"))
      // What ends by 18 is closed.
      q.add(Side.R, 0, at(13.5, 5), at(16, 6), at(40, 7))
      q.add(Side.R, 1, at(40, 8))
      q.rows(Seq(s"[1,${window(20)},2,10]"))
      val written = q.collected.rows
      for (open <- Seq(15, 16)) assert(written.contains(s"[1,${window(open)},1,5]"))
      for (closed <- 12 to 14) assert(!written.exists(_.startsWith(s"[1,${window(closed)}")))
      eventually(q.progress.exists(_.stateOperators.map(_.numRowsDroppedByWatermark).sum == 1))
    }

  for ((name, query) <- Seq("" -> counts, " by a design" -> designed(grouped, "mqlf")))
    test(s"a source that sends nothing is left out after a while$name")(checkLeftOut(query))

  private def checkLeftOut(counts: String): Unit =
    withSettings("spark.scalegate.realTime.idleTimeout" -> "500ms") {
      withRunning(counts) { q =>
        q.add(Side.R, 0, at(10, 1))
        val awaited = s"[1,${window(10)},2,10]"
        q.add(Side.R, 1, at(10, 2))
        val seconds = Iterator.from(50)
        eventually {
          val second = seconds.next()
          q.add(Side.R, 1, at(second, second.toLong))
          q.collected.rows.contains(awaited)
        }
      }
    }

  test("what a source has passed holds in later batches, and after a restart") {
    val counts = windows("count(*) AS n", keys = "", from = both).replace(", window.end AS e", "")
    val q = new Running(counts, "1 second").start()
    try {
      q.add(Side.R, 0, at(10, 1), at(30, 2))
      q.add(Side.S, 0, at(11, 3), at(30, 4))
      nextBatch(q)
      q.stop()
      q.start()
      q.add(Side.R, 1, at(30, 5))
      nextBatch(q)
      assert(q.collected.rows.isEmpty)
      q.add(Side.S, 1, at(30, 6))
      val through = Seq(7, 8, 9, 10, 11).zip(Seq(1, 2, 2, 2, 1))
      val all = through.map { case (s, n) => s"[${window(s)},$n]" }
      assert(q.rows(all) == all.sorted)
    } finally q.stop()
  }

  test("a source that is silent for longer than a batch lasts is left out") {
    withSettings("spark.scalegate.realTime.idleTimeout" -> "2s") {
      withRunning(windows("count(*) AS n", keys = ""), "1 second") { q =>
        val seconds = Iterator.from(10)
        eventually {
          val second = seconds.next()
          q.add(Side.R, 0, at(second, second.toLong))
          q.collected.rows.nonEmpty
        }
      }
    }
  }

  test("a function that throws ends the query, and its threads") {
    spark.udf.register("throws", (x: Int) => { require(x < 7, "as asked"); x })
    withRunning(windows("sum(throws(x))")) { q =>
      q.add(Side.R, 0, at(10, 1), Event(at(11, 2).ts, Some(1), Some(9), 2))
      eventually(q.failure.exists(_.contains("as asked")))
    }
    eventually(!Thread.getAllStackTraces.keySet.asScala.exists(_.getName.contains("real-time")))
  }

  test("what does not run in Real-Time Mode is refused, with what to do") {
    def refused(query: String) = intercept[Exception](new Running(query).start()).getMessage
    def failure(query: String): String = {
      val q = new Running(query).start()
      try {
        q.add(Side.R, 0, at(1, 1))
        eventually(q.failure.nonEmpty)
        q.failure.get
      } finally q.stop()
    }
    val joined =
      "(SELECT l.ts, l.k FROM l JOIN r ON r.ts BETWEEN l.ts AND l.ts + INTERVAL 1 SECOND)"
    assert(
      failure(windows("count(*)", from = joined)).contains("an aggregate over windows above a")
    )
    assert(failure(windows("count(*)", from = "(SELECT /*+ REPARTITION(2) */ * FROM l)"))
      .contains("does not run under trigger(realTime"))
    assert(failure(windows("count(*)", from = "(SELECT ts + INTERVAL 0 SECOND AS ts, k FROM l)"))
      .contains("call withWatermark on the stream"))
    val hints = "SELECT /*+ WINDOW_EMIT('update'), "
    assert(failure(designed(grouped, "wiml").replace("SELECT /*+ ", hints))
      .contains("WINDOW_DESIGN('wiml') cannot run this aggregate: it gives a window once"))
    withSettings(Setting -> "now") {
      assert(refused(counts).contains(s"$Setting must be spark, final or update, not 'now'"))
    }
    withSettings("spark.sql.streaming.realTimeMode.allowlistCheck" -> "true") {
      assert(refused(counts).contains("scalegate.configure(builder, real_time=True)"))
    }
  }

  test("a hint says when windows are given, whatever the setting") {
    withSettings(Setting -> "spark") {
      val grouped = windows("count(*) AS n")
      def hinted(arguments: String) =
        grouped.replaceFirst("SELECT", s"SELECT /*+ WINDOW_EMIT($arguments) */")
      withRunning(hinted("'final'")) { q =>
        for (p <- 0 until Partitions) q.add(Side.R, p, at(10, 1L + p), at(20, 11L + p))
        assert(q.rows(Seq(s"[1,${window(10)},${window(14)},2]")).size == 4)
        assert(q.explained.contains("real time: each window when its sources have passed it"))
      }
      withRunning(hinted("'UPDATE'")) { q =>
        q.add(Side.R, 0, at(10, 1))
        eventually(q.collected.rows.size == 4)
        assert(q.explained.contains("real time: each window as its rows come"))
      }
      for (arguments <- Seq("'now'", "'final', 'update'", "1"))
        assert(intercept[Exception](new Running(hinted(arguments)).start()).getMessage
          .contains("WINDOW_EMIT takes 'final' or 'update'"))
      def refused(query: String) = {
        val q = new Running(query).start()
        try {
          q.add(Side.R, 0, at(1, 1))
          eventually(
            q.failure.exists(_.contains("WINDOW_EMIT('final') is said of no aggregate that"))
          )
        } finally q.stop()
      }
      refused(
        "SELECT /*+ WINDOW_EMIT('final') */ window(ts, '4 seconds', '1 second').start AS s FROM l"
      )
      refused("SELECT /*+ WINDOW_EMIT('final') */ window(ts, '4 seconds').start AS s FROM l")
      // In batches the output mode says it.
      val plain = plainRows(grouped, Sides.each(_ => Vector(Vector(at(10, 1), at(11, 2)))))
      assert(spark.sql(hinted("'update'")).collect().map(_.toString).toSeq.sorted == plain)
      spark.sql(hinted("'final'").replace("'4 seconds', '1 second'", "'4 seconds'")).collect()
    }
  }

  test("EXPLAIN says when windows are given") {
    withRunning(counts) { q =>
      q.add(Side.R, 0, at(1, 1))
      q.add(Side.R, 1, at(20, 1))
      q.add(Side.R, 0, at(20, 1))
      q.rows(Seq(s"[1,${window(1)},1,5]"))
      assert(q.explained.contains("real time: each window when its sources have passed it"))
      assert(q.explained.contains("WindowPartials panes: 1 second"))
    }
  }

  test("an aggregate tells what it has done, while it runs and after") {
    withRunning(counts, "3 seconds") { q =>
      for (p <- 0 until Partitions)
        q.add(Side.R, p, (1 to 20).map(n => at(10, n.toLong, k = n)) :+ at(20 + 5 * p, 99L): _*)
      def figures(per: String) =
        spark.sql(s"SELECT * FROM stream_metrics('${q.run}', '$per')").collect().toSeq
      eventually(figures("operator").exists(_.getAs[Long]("results") == 80))
      val told = figures("operator").head
      assert(told.getAs[String]("name") == "windowAggregate" && told.getAs[Int]("tasks") == 2)
      assert(told.getAs[Long]("left_rows") == 42 && told.getAs[Long]("right_rows") == 0)
      // The rows of ten seconds are in no window that is open.
      assert(told.getAs[Long]("state_rows") == 2 && told.getAs[Long]("late_rows") == 0)
      val latencies = Seq("p50", "p90", "p99", "max").map(p =>
        told.getAs[Double](s"latency_${p}_ms")
      )
      assert(latencies.head > 0 && latencies == latencies.sorted)
      val tasks = figures("task")
      assert(tasks.map(_.getAs[Long]("results")).sum == 80 && tasks.size == 2)
      val sources = figures("source")
      assert(sources.map(r =>
        (r.getAs[String]("side"), r.getAs[Int]("source"), r.getAs[Long]("rows"))
      ) ==
        Seq(("left", 0, 21L), ("left", 1, 21L)))
      assert(sources.map(_.getAs[Double]("lag_ms")) == Seq(5000.0, 0.0))
      eventually(q.progress.exists(_.numInputRows > 0))
      val progress = q.progress.get.stateOperators.head
      assert(progress.operatorName == "windowAggregate" && progress.numRowsTotal > 0)
      assert(progress.customMetrics.get("latencyMaxMicros") >= progress.customMetrics.get(
        "latencyP50Micros"
      ))
      assert(progress.customMetrics.get("sources") == 2)
    }
  }

  test("without the setting it stays Spark's") {
    withSettings(Setting -> "spark") {
      withRunning(counts) { q =>
        q.add(Side.R, 0, at(10, 1))
        eventually(q.collected.rows.size == 4)
        assert(!q.explained.contains("WindowPartials"))
      }
    }
  }
}
