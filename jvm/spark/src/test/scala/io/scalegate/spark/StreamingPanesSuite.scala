package io.scalegate.spark

import java.sql.Timestamp

import scala.util.Random

/** Aggregates of streams over sliding windows, on panes, against Spark's own: the same rows in every batch. */
final class StreamingPanesSuite extends StreamingJoinSuite {
  private val window = "window(ts, '10 seconds', '2 seconds')"

  /** Partial results of one size, which are held in blocks, and others, which are held one by one. */
  private val fixed = "count(*) AS n, sum(id) AS s, min(x) AS low, max(x) AS high, " +
    "avg(id) AS mean, max_by(x, id) AS top, count(x) FILTER (WHERE id % 2 = 0) AS even"
  private val objects = s"$fixed, collect_set(x) AS xs"

  /** Rows that come in the order of their times, but for some, of which the last are too late. */
  private def events(random: Random, batches: Int, keys: Int = 4): Seq[Seq[Event]] = {
    var time = 100000L
    Seq.fill(batches) {
      val rows = Seq.fill(random.nextInt(40)) {
        time += random.nextInt(800)
        val at = time - (if (random.nextInt(5) == 0) random.nextInt(25000) else 0)
        val k = if (random.nextInt(8) == 0) None else Some(random.nextInt(keys))
        Event(new Timestamp(at), k, Some(random.nextInt(9)), random.nextLong(1000))
      }
      if (random.nextInt(4) == 0) time += 30000
      rows
    }
  }

  private def query(
      keys: String = "k",
      by: String = window,
      having: String = "",
      functions: String = objects
  ) = {
    val columns = if (keys.isEmpty) "" else s"$keys, "
    s"SELECT w.start AS a, w.end AS b, $columns$functions FROM " +
      s"(SELECT *, $by AS w FROM l) GROUP BY w${if (keys.isEmpty) "" else s", $keys"}$having"
  }

  /** Both give the same rows in every batch, through restarts; the operator is ours. */
  private def assertSame(
      query: String,
      mode: String,
      batches: Seq[Seq[Event]],
      restart: Int => Boolean = _ => false,
      watermarks: Boolean = true
  ): Unit = {
    val settings = Map(true -> "true", false -> "false")
    def run() = new Running(query, delay = "5 seconds", mode = mode, watermarks = watermarks)
    val (ours, sparks) = (run(), run())
    def using[T](of: Boolean)(body: => T) =
      withSettings(ScaleGateConf.Aggregates -> settings(of))(body)
    try {
      using(true)(ours.start())
      using(false)(sparks.start())
      for ((rows, i) <- batches.zipWithIndex) {
        if (restart(i)) {
          using(true)(ours.stop().start())
          using(false)(sparks.stop().start())
        }
        ours.add(rows, Nil)
        sparks.add(rows, Nil)
        assert(ours.fresh() == sparks.fresh(), s"$mode, batch $i, $query")
      }
      assert(ours.operator == "windowAggregate" && sparks.operator == "stateStoreSave")
      if (mode != "complete") assert(ours.stateRows <= sparks.stateRows + batches.last.size)
    } finally {
      ours.stop()
      sparks.stop()
    }
  }

  for {
    mode <- Seq("append", "update", "complete")
    (held, functions) <- Seq("in blocks" -> fixed, "one by one" -> objects)
  } {
    test(
      s"every batch of $mode mode has the rows of Spark's own plan, late rows and restarts among them: panes $held"
    ) {
      val random = new Random(mode.hashCode.toLong)
      assertSame(query(functions = functions), mode, events(random, 10), _ % 4 == 3)
    }

    test(
      s"$mode mode: windows with gaps between panes, offsets, no keys, several keys, conditions on windows: panes $held"
    ) {
      val random = new Random(7)
      val ragged = "window(ts, '7 seconds', '3 seconds', '1 second')"
      def of(keys: String = "k", by: String = window, having: String = "") =
        query(keys, by, having, functions)
      assertSame(of(keys = "", by = ragged), mode, events(random, 5))
      assertSame(of(keys = "k, x", by = ragged), mode, events(random, 4))
      assertSame(of(having = " HAVING count(*) > 2"), mode, events(random, 4))
    }
  }

  for (mode <- Seq("append", "update"))
    test(s"$mode mode: windows of so many panes that a row of state is a whole block of them") {
      val by = "window(ts, '60 seconds', '100 milliseconds')"
      assertSame(
        query(by = by, functions = fixed),
        mode,
        events(new Random(11), 3, keys = 2),
        _ == 1
      )
    }

  test("update mode without a watermark keeps every pane") {
    Seq(fixed, objects).foreach { functions =>
      val batches = events(new Random(5), 6)
      assertSame(query(functions = functions), "update", batches, _ == 3, watermarks = false)
    }
  }

  for {
    provider <- Seq("HDFSBackedStateStoreProvider", "RocksDBStateStoreProvider")
    // Panes of two seconds, of windows of ten seconds; blocks of four panes.
    (held, functions, most, columns, expected) <- Seq(
      ("a row for each pane", objects, 6, Seq("key.pane", "value.count"), "[1,1000000000,1]"),
      (
        "a row for four panes",
        fixed,
        3,
        Seq("key.panes", "length(value.results) > 0"),
        "[1,125,true]"
      )
    )
  }
    test(s"state goes with the watermark: $held, in $provider") {
      withSettings(
        "spark.sql.streaming.stateStore.providerClass" ->
          s"org.apache.spark.sql.execution.streaming.state.$provider"
      ) {
        val run = new Running(query(functions = functions), delay = "0 seconds").start()
        try {
          for (batch <- 0 until 6) {
            val rows = Seq.tabulate(50)(i => at(100 + batch * 25 + i * 0.5, i.toLong))
            run.add(rows, Nil)
            assert(run.stateRows <= most, s"after batch $batch")
          }
          run.stop().start()
          run.add(Seq(at(1000, 1)), Nil)
          assert(run.stateRows == 1)
        } finally run.stop()
        val state = spark.read.format("statestore").load(run.checkpoint.toString)
        assert(rowsOf(state.selectExpr("key.k" +: columns: _*)) == Seq(expected))
      }
    }

  test("windows over a join's rows") {
    val within = "r.ts BETWEEN l.ts - INTERVAL 1 SECOND AND l.ts + INTERVAL 1 SECOND"
    val chain = "SELECT w.start AS a, count(*) AS n, sum(b) AS s FROM (SELECT l.ts, " +
      s"window(l.ts, '4 seconds', '2 seconds') AS w, r.id AS b FROM l JOIN r ON $within AND abs(l.x - r.x) <= 1) GROUP BY w"
    val random = new Random(3)
    val (ls, rs) = (events(random, 6), events(random, 6))
    def run(aggregates: Boolean) =
      withSettings(ScaleGateConf.Aggregates -> aggregates.toString) {
        val running = new Running(chain, delay = "5 seconds").start()
        try {
          ls.lazyZip(rs).foreach((l, r) => running.add(l, r))
          running.add(Seq(at(900, 1)), Seq(at(900, 2))).all
        } finally running.stop()
      }
    val ours = run(true)
    assert(ours.nonEmpty && ours == run(false))
  }

  test("a checkpoint of other windows, and one of Spark's own aggregate, are refused") {
    val first = new Running(query()).start()
    try first.add(Seq(at(100, 1)), Nil)
    finally first.stop()
    val others = new Running(
      query(by = "window(ts, '12 seconds', '2 seconds')"),
      checkpoint = first.checkpoint
    ).takes(first)
    others.start()
    val message = others.fails(Seq(at(101, 2)), Nil).getMessage
    assert(message.contains("windows was [10 seconds every 2 seconds]"))
    val sparks = new Running(query(), checkpoint = first.checkpoint).takes(first)
    withSettings(ScaleGateConf.Aggregates -> "false") {
      sparks.start()
      assert(
        sparks.fails(Seq(at(101, 2)), Nil).getMessage.contains("STREAMING_STATEFUL_OPERATOR")
      )
    }
  }

  test("windows that do not slide stay Spark's, and so do all on request") {
    def operator(query: String) = {
      val run = new Running(query).start()
      try run.add(Seq(at(100, 1)), Nil).operator
      finally run.stop()
    }
    assert(operator(query(by = "window(ts, '10 seconds')")) == "stateStoreSave")
    withSettings(ScaleGateConf.Enabled -> "false") {
      assert(operator(query()) == "stateStoreSave")
    }
  }

  test("EXPLAIN names the operator, the windows and the panes") {
    val run = new Running(query()).start()
    try {
      val text = run.add(Seq(at(100, 1)), Nil).explained
      assert(text.contains("StreamingPaneWindows windows: 10 seconds every 2 seconds"))
      assert(text.contains("panes: 2 seconds"))
    } finally run.stop()
  }
}
