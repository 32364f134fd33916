package io.scalegate.spark.window.stream

import java.nio.file.Files
import java.sql.Timestamp

import scala.collection.mutable
import scala.util.Random

import io.scalegate.Sample
import io.scalegate.spark.SparkFeature
import io.scalegate.spark.join.stream.{Event, StreamingJoinSuite}
import io.scalegate.spark.settings.{OperatorOption, ScaleGateConf, WindowDesign}

/** Aggregates of streams over sliding windows, on panes, against Spark's own: the same rows in every batch. Modes, ways
  * to hold panes and state stores are combined in full with `SCALEGATE_SOAK`; otherwise each of them comes up in most
  * tests, and any two of them together in some.
  */
final class StreamingPanesSuite extends StreamingJoinSuite {
  private val window = "window(ts, '10 seconds', '2 seconds')"

  /** Partial results of one size, which are held in blocks, and others, which are held one by one. */
  private val fixed = "count(*) AS n, sum(id) AS s, min(x) AS low, max(x) AS high, " +
    "avg(id) AS mean, max_by(x, id) AS top, count(x) FILTER (WHERE id % 2 = 0) AS even"
  private val objects = s"$fixed, collect_set(x) AS xs"
  private val kept = Seq("in blocks" -> fixed, "one by one" -> objects)
  private val modes = Seq("append", "update", "complete")

  /** Rows that come in the order of their times, but for some, of which the last are too late.
    *
    * @param step
    *   so many milliseconds at most lie between rows
    */
  private def events(
      random: Random,
      batches: Int,
      keys: Int = 4,
      step: Int = 800
  ): Seq[Seq[Event]] = {
    var time = 100000L
    Seq.fill(batches) {
      val rows = Seq.fill(random.nextInt(40)) {
        time += random.nextInt(step)
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

  /** What Spark's own aggregate gives in each batch, how many rows its state has at last, and what it is called. */
  private case class Sparks(batches: Seq[Seq[String]], stateRows: Long, operator: String)

  private val known =
    mutable.Map.empty[(String, String, Seq[Seq[Event]], Option[String]), Sparks]

  private def runOf(query: String, mode: String, delay: Option[String]) = new Running(
    query,
    delay = delay.getOrElse("0 seconds"),
    mode = mode,
    watermarks = delay.nonEmpty
  )

  /** Asked once for the same query, whatever our hints say, and neither stopped nor failing. */
  private def sparksOwn(
      query: String,
      mode: String,
      batches: Seq[Seq[Event]],
      delay: Option[String]
  ): Sparks = {
    val asked = withoutHints(query)
    def answer() = {
      val run = runOf(asked, mode, delay)
      try {
        withSettings(ScaleGateConf.Aggregates -> "false")(run.start())
        val rows = batches.map(batch => run.add(batch, Nil).fresh())
        Sparks(rows, run.stateRows, run.operator)
      } finally run.stop()
    }
    known.getOrElseUpdate((asked, mode, batches, delay), answer())
  }

  /** Both give the same rows in every batch, ours through restarts and failures; the operator is ours.
    *
    * @param delay
    *   of the stream's watermark, if it has one
    */
  private def assertSame(
      query: String,
      mode: String,
      batches: Seq[Seq[Event]],
      restart: Int => Boolean = _ => false,
      fails: Int => Boolean = _ => false,
      delay: Option[String] = Some("5 seconds")
  ): Unit = {
    val sparks = sparksOwn(query, mode, batches, delay)
    val ours = runOf(query, mode, delay)
    try {
      ours.start()
      for ((rows, i) <- batches.zipWithIndex) {
        if (restart(i)) ours.stop().start()
        if (fails(i)) {
          ours.failNext()
          ours.fails(rows, Nil)
          ours.start().add(Nil, Nil)
        } else ours.add(rows, Nil)
        assert(ours.fresh() == sparks.batches(i), s"$mode, batch $i, $query")
      }
      assert(ours.operator == "windowAggregate" && sparks.operator == "stateStoreSave")
      if (mode != "complete") assert(ours.stateRows <= sparks.stateRows + batches.last.size)
    } finally {
      ours.stop()
      ()
    }
  }

  for (first <- Seq("LIMIT 3", "ORDER BY n DESC, a, k LIMIT 4"))
    test(s"complete mode: each batch has so many of all windows: $first") {
      val counted = query(functions = "count(*) AS n")
      val order = if (first.startsWith("ORDER")) "" else "ORDER BY a, k"
      assertSame(
        s"SELECT * FROM ($counted) $order $first",
        "complete",
        events(new Random(5), if (isSoak) 4 else 3),
        _ == 2
      )
    }

  for {
    (mode, i) <- modes.zipWithIndex
    (held, functions) <- Sample.turn(kept, i)
  }
    test(
      s"every batch of $mode mode has the rows of Spark's own plan, late rows and restarts among them: panes $held"
    ) {
      // Those of 1 have rows that are too late in the second batch and in the last one.
      val (seed, count) = if (isSoak) (mode.hashCode.toLong, 6) else (1L, 4)
      val batches = events(new Random(seed), count)
      assertSame(query(functions = functions), mode, batches, _ == count / 2)
    }

  for {
    (mode, i) <- modes.zipWithIndex
    (held, functions) <- Sample.turn(kept, i + 1)
    (by, keys, having) <- Sample.turn(
      Seq(
        ("no keys", "", ""),
        ("several keys, conditions on windows", "k, x", " HAVING count(*) > 1")
      ),
      i
    )
  }
    test(s"$mode mode: windows with gaps between panes, offsets, $by: panes $held") {
      val ragged = "window(ts, '7 seconds', '3 seconds', '1 second')"
      val batches = events(new Random(7), if (isSoak) 4 else 3)
      assertSame(query(keys, ragged, having, functions), mode, batches)
    }

  private def designed(
      design: String,
      keys: Seq[String] = Seq("k"),
      by: String = window,
      having: String = "",
      functions: String = fixed
  ) = {
    val columns =
      (Seq("window.start AS a", "window.end AS b") ++ keys :+ functions).mkString(", ")
    s"SELECT /*+ WINDOW_DESIGN('$design') */ $columns FROM l " +
      s"GROUP BY ${(by +: keys).mkString(", ")}$having"
  }

  for {
    (design, i) <- WindowDesign.all.zipWithIndex
    options =
      if (design.takes.contains(OperatorOption.Threads)) "inputs=2, threads=2" else "inputs=3"
    hint <- Sample.turn(Seq(design.name, s"${design.name}($options, panes=true)"), i)
  }
    test(s"append mode by the design $hint: every batch has the rows of Spark's own plan") {
      // The same rows for every design, for which Spark's plan is run once.
      val (seed, count) = if (isSoak) (i.toLong, 5) else (1L, 4)
      val batches = events(new Random(seed), count)
      val ragged = "window(ts, '7 seconds', '3 seconds', '1 second')"
      val having = " HAVING count(*) > 1 AND second(window.start) % 2 = 0"
      for (of <- Sample.turn(Seq(designed(hint), designed(hint, Nil, ragged, having)), i))
        assertSame(of, "append", batches, _ == count - 3, fails = _ == count - 2)
    }

  test("an aggregate goes on by another design, and without one, with the same panes") {
    val plain = query(functions = fixed)
    val ofEach = if (isSoak) 2 else 1
    val batches = events(new Random(3), 4 * ofEach)
    val first = new Running(designed("wiml"))
    val others = Seq(designed("tumlmc(threads=2)"), plain, designed("mq"))
      .map(new Running(_, checkpoint = first.checkpoint))
    val sparks = new Running(plain)
    var before = first
    try {
      withSettings(ScaleGateConf.Aggregates -> "false")(sparks.start())
      for ((of, parts) <- (first +: others).zip(batches.grouped(ofEach).toSeq)) {
        if (of ne before) of.takes(before.stop())
        of.start()
        parts.foreach { rows =>
          assert(of.add(rows, Nil).fresh() == sparks.add(rows, Nil).fresh())
        }
        assert((of eq others(1)) != of.explained.contains("design: "))
        before = of
      }
    } finally {
      before.stop()
      sparks.stop()
    }
  }

  for {
    (mode, functions, why) <- Seq(
      ("update", fixed, "as in output mode append; this is update"),
      ("complete", fixed, "as in output mode append; this is complete"),
      ("append", objects, "it keeps a value of fixed size for each window")
    )
  } test(s"a design is refused in $mode mode: $why") {
    val run = new Running(designed("wiml", functions = functions), mode = mode)
    try assert(causes(run.start().fails(Seq(at(120, 1)), Nil)).exists(_.toString.contains(why)))
    finally run.stop()
  }

  for {
    (mode, i) <- modes.take(2).zipWithIndex
    (held, functions) <- Sample.turn(kept, i)
  }
    test(
      s"$mode mode: rows without a time are in no window, with a key or without: panes $held"
    ) {
      val random = new Random(19)
      val some = events(random, if (isSoak) 3 else 2).map(_.map { e =>
        if (random.nextInt(3) == 0) e.copy(ts = null) else e
      })
      val none = Seq(Event(null, None, Some(1), 1), Event(null, Some(1), None, 2))
      assertSame(query(functions = functions), mode, none +: some :+ none, _ == 2)
    }

  for {
    (mode, i) <- modes.take(2).zipWithIndex
    (held, functions) <- Sample.turn(kept, i + 1)
  }
    test(s"$mode mode: a batch that fails when its state is written runs again: panes $held") {
      val last = if (isSoak) 3 else 2
      val batches = events(new Random(29), last + 1)
      assertSame(query(functions = functions), mode, batches, fails = i => i == 0 || i == last)
    }

  for (mode <- Sample.some(Seq("update", "append"), 1))
    test(s"$mode mode: windows of so many panes that a row of state is a whole block of them") {
      val by = "window(ts, '13 seconds', '100 milliseconds')"
      assertSame(
        query(by = by, functions = fixed),
        mode,
        events(new Random(11), 3, keys = 2).map(_.take(6)), // Spark makes 130 rows of each
        _ == 1
      )
    }

  for ((mode, i) <- modes.zipWithIndex)
    test(
      s"$mode mode: windows over the ends of the rows of state, one after the other and with gaps"
    ) {
      // Windows of ten panes; a row of state is 64 milliseconds of a key.
      val by = "window(ts, '10 milliseconds', '1 millisecond')"
      val delays = Seq("100 milliseconds" -> 12, "0 seconds" -> 12, "1 second" -> 60)
      Sample.turn(delays, i).foreach {
        case (delay, step) =>
          val count = if (isSoak) 5 else 4
          val batches = events(new Random(step.toLong), count, keys = 2, step = step)
          assertSame(
            query(by = by, functions = fixed),
            mode,
            batches,
            _ == count - 2,
            delay = Some(delay)
          )
      }
    }

  private val united = "(SELECT * FROM l UNION ALL SELECT ts, k, x + 1, id FROM r WHERE x > 1)"

  for {
    ((whole, watermarks, from), i) <- Seq(
      ("of all rows", false, s"(SELECT * FROM $united WATERMARK ts DELAY OF INTERVAL 5 SECONDS)"),
      ("of each stream", true, united)
    ).zipWithIndex
    (held, functions, generated) <- Sample.turn(
      Seq(
        ("one by one", objects, "true"),
        ("in blocks", fixed, "false"),
        ("in blocks", fixed, "true")
      ),
      i
    )
  }
    test(
      s"two streams as one, a watermark $whole, panes $held: rows and reported times are Spark's; code generated: $generated"
    ) {
      if (!watermarks) needs(SparkFeature.SqlWatermark)
      def run() = new Running(
        query(functions = functions).replace("FROM l", s"FROM $from"),
        delay = "5 seconds",
        watermarks = watermarks
      )
      val (ours, sparks) = (run(), run())
      val random = new Random(31)
      def batch = events(random, 3).flatten.map { e =>
        if (random.nextInt(9) == 0) e.copy(ts = null) else e
      }
      try {
        withSettings("spark.sql.codegen.wholeStage" -> generated)(ours.start())
        withSettings(ScaleGateConf.Aggregates -> "false")(sparks.start())
        (1 to 3).foreach { i =>
          val (l, r) = (batch, batch.map(e => e.copy(id = e.id + 1000)))
          assert(ours.add(l, r).fresh() == sparks.add(l, r).fresh(), s"batch $i")
        }
        assert(ours.operator == "windowAggregate")
        def times(running: Running) = running.eventTimes.map(_ - "avg")
        assert(times(ours) == times(sparks))
        assert(times(ours).count(_.contains("max")) == 3)
      } finally {
        ours.stop()
        sparks.stop()
      }
    }

  test("update mode without a watermark keeps every pane") {
    Seq(fixed, objects).foreach { functions =>
      val last = if (isSoak) 5 else 2
      val batches = events(new Random(5), last + 1)
      assertSame(query(functions = functions), "update", batches, _ == last, delay = None)
    }
  }

  private val providers = Seq("HDFSBackedStateStoreProvider", "RocksDBStateStoreProvider")

  private def withProvider[T](name: String)(body: => T): T =
    withSettings(
      "spark.sql.streaming.stateStore.providerClass" ->
        s"org.apache.spark.sql.execution.streaming.state.$name"
    )(body)

  for {
    (provider, i) <- providers.zipWithIndex
    // Panes of two seconds, of windows of ten seconds; parts of sixty-four panes.
    (held, functions, most, columns, expected) <- Sample.turn(
      Seq(
        ("a row for each pane", objects, 6, Seq("key.pane", "value.count"), "[1,1000000000,1]"),
        (
          "a row for sixty-four panes",
          fixed,
          3,
          Seq("key.panes", "length(value.results) > 0"),
          "[1,7,true]"
        )
      ),
      i
    )
  }
    test(s"state goes with the watermark: $held, in $provider") {
      withProvider(provider) {
        val run = new Running(query(functions = functions), delay = "0 seconds").start()
        try {
          for (batch <- 0 until (if (isSoak) 6 else 4)) {
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

  for {
    (provider, i) <- providers.zipWithIndex
    (held, functions) <- Sample.turn(
      Seq(
        "in blocks" -> fixed,
        "one by one" -> "count(*) AS n, collect_set(x) AS xs, max(CAST(x AS STRING)) AS top"
      ),
      i + 1
    )
  }
    test(s"keys that never come back do not stay: panes $held, in $provider") {
      // Each key has one row, and panes of the last ten seconds are in open windows.
      val batches = Seq.tabulate(if (isSoak) 10 else 6, 10) { (batch, i) =>
        Event(100000L + batch * 4000 + i * 400, batch * 10 + i, 5, i.toLong)
      }
      withProvider(provider) {
        val run = new Running(query(functions = functions)).start()
        try {
          val rows = batches.map(run.add(_, Nil).stateRows)
          assert(rows.drop(2).forall(_ == 25), rows)
          run.add(Seq(at(1000, 1)), Nil)
          assert(run.stateRows == 1)
          assert(run.all == batchResult(query(functions = functions), batches.flatten, Nil))
        } finally run.stop()
      }
    }

  /** A query that fails in a batch, and when it starts again, gives every window once when it goes on as `mended`.
    *
    * @param ansi
    *   whether it then has ANSI mode
    */
  private def assertMends(
      queries: (String, String),
      ansi: Boolean,
      error: String
  )(before: Seq[Event], batch: Seq[Event], end: Event): Unit = {
    val (failing, mended) = queries
    val first = new Running(failing).start()
    val second = new Running(mended, checkpoint = first.checkpoint).takes(first)
    try {
      first.add(before, Nil)
      assert(causes(first.fails(batch, Nil)).exists(_.toString.contains(error)), failing)
      assert(causes(first.start().fails(Nil, Nil)).exists(_.toString.contains(error)), failing)
      withSettings("spark.sql.ansi.enabled" -> ansi.toString) {
        second.start().add(Seq(end), Nil)
        assert(second.operator == "windowAggregate")
        val expected = batchResult(mended, before ++ batch, Nil)
        assert((first.all ++ second.all).sorted == expected, failing)
      }
    } finally {
      first.stop()
      second.stop()
    }
  }

  /** Rows of some keys, which lie in both partitions, each half a second. */
  private def steady(from: Int, until: Int): Seq[Event] =
    (from * 2 until until * 2).map(i => Event(i * 500L, i % 5, 5, i.toLong))

  private val more = Seq("", ", collect_set(x) AS xs")

  for ((provider, i) <- providers.zipWithIndex) {
    test(s"a row that a function's input fails on, and is then filtered out, in $provider") {
      withProvider(provider) {
        Sample.turn(more, i).foreach { more =>
          val failing = query(functions = s"count(*) AS n, sum(id DIV x) AS s$more")
          assertMends(
            failing -> failing.replace("FROM l", "FROM l WHERE x <> 0"),
            ansi = true,
            "DIVIDE_BY_ZERO"
          )(
            steady(100, 108),
            steady(108, 116) :+ at(112, 7, x = 0),
            at(1000, 1)
          )
        }
      }
    }

    for (
      ((merging, later), j) <-
        Seq("two batches' rows of a pane" -> 107.5, "a window's panes" -> 111.0).zipWithIndex
    )
      test(s"a sum that overflows when $merging are merged, and then may, in $provider") {
        withProvider(provider) {
          Sample.turn(more, i + j).foreach { more =>
            val sums = query(functions = s"count(*) AS n, sum(id) AS s$more")
            assertMends(
              sums -> sums,
              ansi = false,
              "ARITHMETIC_OVERFLOW"
            )(
              steady(100, 108) :+ at(107.2, Long.MaxValue - 10000),
              steady(107, 116) :+ at(later, 20000) :+ at(130, 1),
              at(1000, 1)
            )
          }
        }
      }
  }

  test("numRowsDroppedByWatermark counts the panes of a key that are late for every window") {
    Seq(fixed, objects).foreach { functions =>
      val run = new Running(query(functions = functions)).start()
      try {
        run.add(Seq(at(120, 1)), Nil)
        // Two panes of a key, and one of another; the row at 113 is late for four of its five windows.
        val late = Seq(100.0, 100.5, 101.9, 104.0, 105.0).map(at(_, 2)) :+ Event(101000L, 2, 5, 3)
        run.add(late ++ Seq(at(113, 4), at(121, 5)), Nil)
        assert(run.dropped == 3, functions)
        run.add(Seq(at(1000, 6)), Nil)
        assert(run.dropped == 3)
        val rows = Seq(at(120, 1), at(113, 4), at(121, 5))
        val open = batchResult(query(functions = functions), rows, Nil)
        assert(run.all == open.filter(row => row > "[1970-01-01 00:01:52"))
      } finally run.stop()
    }
  }

  test("windows over a join's rows") {
    val within = "r.ts BETWEEN l.ts - INTERVAL 1 SECOND AND l.ts + INTERVAL 1 SECOND"
    val chain = "SELECT w.start AS a, count(*) AS n, sum(b) AS s FROM (SELECT l.ts, " +
      s"window(l.ts, '4 seconds', '2 seconds') AS w, r.id AS b FROM l JOIN r ON $within AND abs(l.x - r.x) <= 1) GROUP BY w"
    val random = new Random(3)
    val count = if (isSoak) 6 else 4
    val (ls, rs) = (events(random, count), events(random, count))
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

  test("a checkpoint of other windows, keys or functions is refused, with what differs") {
    val first = new Running(query(functions = fixed)).start()
    try first.add(Seq(at(100, 1)), Nil)
    finally first.stop()
    def refusal(query: String): String = {
      val other = new Running(query, checkpoint = first.checkpoint).takes(first)
      other.start().fails(Seq(at(101, 2)), Nil).getMessage
    }
    for (
      (other, expected) <- Seq(
        query(by = "window(ts, '12 seconds', '2 seconds')", functions = fixed) ->
          "windows was [10000000 every 2000000 from 0] and is [12000000 every 2000000 from 0]",
        query(keys = "x", functions = fixed) -> "keys was [k integer] and is [x integer]",
        query(
          keys = "k, x",
          functions = fixed
        ) -> "keys was [k integer] and is [k integer, x integer]",
        query(keys = "", functions = fixed) -> "keys was [k integer] and is []",
        query(functions = fixed.replace("min(x)", "max(x)")) -> "min(x) integer, max(x) integer",
        query(functions = fixed.replace("sum(id)", "sum(x)")) -> "sum(id) long, ",
        query(functions = fixed.replace("% 2 = 0", "% 2 = 1")) -> "filter =(",
        query(functions = objects) -> "format was [3] and is [1]"
      )
    ) {
      val message = refusal(other)
      assert(message.contains(expected) && message.contains("Start with a new checkpoint"), other)
    }
    val terms = first.checkpoint.resolve("state/0/_scalegate/aggregate")
    val written = Files.readString(terms)
    Files.delete(terms.resolveSibling(".aggregate.crc"))
    Files.writeString(terms, written.replace("format = 3", "format = 1"))
    assert(refusal(query(functions = fixed)).contains("format was [1] and is [3]"))
    // As a version wrote them that had no arguments in them, and types in Spark's words.
    val older =
      "format = 3\nwindows = 10 seconds every 2 seconds\nkeys = K INT\nfunctions = count BIGINT, " +
        "sum BIGINT, min INT, max INT, avg DOUBLE, max_by INT, count BIGINT\n"
    Files.writeString(terms, older.replace("min INT", "first INT"))
    assert(refusal(query(functions = fixed)).contains("functions was [count BIGINT, "))
    Files.writeString(terms, older)
    val same = new Running(query(functions = fixed), checkpoint = first.checkpoint).takes(first)
    try {
      same.start().add(Seq(at(1000, 2)), Nil)
      val rows = at(100, 1) +: Seq.fill(10)(at(101, 2))
      assert(same.all == batchResult(query(functions = fixed), rows, Nil))
    } finally same.stop()
  }

  test("neither goes on with a checkpoint of the other: Spark's own aggregate and this one") {
    for ((first, second) <- Seq("true" -> "false", "false" -> "true")) {
      val before = new Running(query())
      withSettings(ScaleGateConf.Aggregates -> first)(before.start())
      try before.add(Seq(at(100, 1)), Nil)
      finally before.stop()
      val after = new Running(query(), checkpoint = before.checkpoint).takes(before)
      withSettings(ScaleGateConf.Aggregates -> second)(after.start())
      val message = after.fails(Seq(at(101, 2)), Nil).getMessage
      assert(message.contains("STREAMING_STATEFUL_OPERATOR"))
      withSettings(ScaleGateConf.Aggregates -> first)(before.start())
      try assert(before.add(Seq(at(1000, 2)), Nil).all.nonEmpty)
      finally before.stop()
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
