package io.scalegate.spark.join.stream.perkey

import org.apache.spark.sql.Encoders

import io.scalegate.Sample
import io.scalegate.spark.join.stream.Event

/** Aggregates of the rows of one stream around each row of another against plain Spark's of the same rows at rest. With
  * `SCALEGATE_SOAK` each interval is tried with and without a key; otherwise by turns.
  */
final class StreamingAggregatesSuite extends AnswersSuite {
  private val functions =
    "count(*) AS n, count(q.x) AS nx, sum(q.x) AS s, avg(q.x) AS a, min(q.x) AS low, max(q.ts) AS last"

  private def lateral(
      within: String,
      functions: String = functions,
      keys: String = "q.k = o.k AND "
  ) =
    s"SELECT o.id, o.k, o.ts, a.* FROM l o, LATERAL (SELECT $functions FROM r q WHERE $keys$within) a"

  private def between(from: String, to: String) =
    s"q.ts BETWEEN o.ts + INTERVAL $from SECONDS AND o.ts + INTERVAL $to SECONDS"

  private val before = between("'-3'", "'0'")

  override protected def example: String = lateral(before)
  override protected def told: String = "aggregates: "
  override protected def isOfSentinel(row: String): Boolean = row.startsWith("[-1")
  override protected def result(query: String, l: Seq[Event], r: Seq[Event]): Seq[String] =
    batchResult(query, l, r)

  private def check(
      query: String,
      seed: Int,
      cuts: Int = cutInto(3),
      restarts: Boolean = false,
      operators: Int = 1
  ): Unit = {
    val (l, r) = (disordered(2 * seed, 90), disordered(2 * seed + 1, 80))
    val rows = streamed(query, l, r, cuts, restarts, operators).sorted
    assert(rows == atRest(query, l, r), query)
  }

  private val intervals = Seq(
    "rows before" -> before,
    "rows around" -> between("'-1.5'", "'2'"),
    "rows behind" -> between("'1'", "'4'"),
    "rows long before" -> between("'-9'", "'-4'"),
    "rows strictly before" -> "q.ts < o.ts AND q.ts >= o.ts - INTERVAL 5 SECONDS",
    "rows of a day" -> between("'-86400'", "'86400'")
  )

  for {
    ((name, within), i) <- intervals.zipWithIndex
    (kind, keys) <- Sample.turn(Seq("by a key" -> "q.k = o.k AND ", "without a key" -> ""), i)
  } test(s"$kind, $name of two streams are aggregated as those of the same rows at rest") {
    check(lateral(within, keys = keys), i, cuts = cutInto(4), restarts = i % 2 == 0)
  }

  test("functions whose partial results hold objects, filters, and what is computed of results") {
    check(
      lateral(
        before,
        "array_sort(collect_list(q.x)) AS all, percentile(q.x, 0.5) AS mid, coalesce(max(q.x + 1), -1) + count(*) AS v, " +
          "count(*) FILTER (WHERE q.x > 5) AS big, max_by(q.id, q.ts * 1000 + q.id) AS at"
            .replace("q.ts * 1000 + q.id", "struct(q.ts, q.id)"),
        "q.k = o.k AND q.x > 1 AND "
      ),
      11,
      restarts = true
    )
  }

  test("keys that are equal but for the case of their letters") {
    check(lateral(before, keys = s"${withoutCase("q.k", "o.k")} AND "), 13)
  }

  test("several intervals around the same times are one operator, and what they are of differs") {
    val (long, behind) = (between("'-1'", "'5'"), between("'2'", "'3'"))
    def of(within: String, functions: String, more: String = "") =
      s"LATERAL (SELECT $functions FROM r q WHERE q.k = o.k AND $within$more)"
    val three = s"SELECT o.id, o.ts, a.n, b.s, c.* FROM l o, ${of(before, "count(*) AS n")} a, " +
      s"${of(long, "sum(q.x) AS s")} b, ${of(behind, "collect_set(q.x) AS x, max(q.id) AS top")} c"
    check(three.replace("collect_set(q.x)", "array_sort(collect_set(q.x))"), 12, restarts = true)
    // Of other rows, and by other keys.
    val keyless = of(behind, "max(q.x) AS m").replace("q.k = o.k AND ", "")
    check(
      s"SELECT o.id, a.n, b.s, c.m FROM l o, ${of(before, "count(*) AS n", " AND q.x > 3")} a, " +
        s"${of(long, "sum(q.x) AS s")} b, $keyless c",
      18,
      operators = 3
    )
    // What an interval is around, that another makes.
    check(
      s"SELECT o.id, a.n, b.s FROM l o, ${of(before, "count(*) AS n, max(q.k) AS k")} a, " +
        s"LATERAL (SELECT sum(q.x) AS s FROM r q WHERE q.k = a.k AND $long) b",
      20,
      operators = 2
    )
  }

  test("rows that a table's rows choose") {
    spark.range(8).selectExpr("id AS a", "id % 3 AS b").createOrReplaceTempView("known")
    val chosen =
      "(SELECT * FROM r WHERE EXISTS (SELECT * FROM known e WHERE e.a BETWEEN r.x - 1 AND r.x)) q"
    for (key <- Sample.some(Seq("q.k = o.k AND ", ""), 1)) {
      def of(within: String) = s"LATERAL (SELECT count(*) AS n FROM $chosen WHERE $key$within)"
      check(
        s"SELECT o.id, a.n, b.n AS m FROM l o, ${of(before)} a, ${of(between("'0'", "'2'"))} b",
        24
      )
    }
  }

  test("a row has the results of several intervals when the watermark has passed the last end") {
    val two = s"SELECT o.id, a.n, b.n AS m FROM l o, " +
      s"LATERAL (SELECT count(*) AS n FROM r q WHERE q.k = o.k AND ${between("'-1'", "'1'")}) a, " +
      s"LATERAL (SELECT count(*) AS n FROM r q WHERE q.k = o.k AND ${between("'2'", "'6'")}) b"
    val run = new Running(two, delay = "0 seconds").start()
    try {
      run.add(Seq(at(10, 1), at(12, 2)), Seq(at(9, 1), at(11, 2), at(13, 3), at(15, 4)))
      run.add(Seq(at(15.5, 3)), Seq(at(16, 5)))
      assert(run.all.isEmpty)
      run.add(Seq(at(17, 4)), Seq(at(17, 6)))
      assert(run.all == Seq("[1,2,3]"))
      run.add(Seq(at(40, 5)), Seq(at(40, 7)))
      assert(run.all.sorted.take(2) == Seq("[1,2,3]", "[2,2,3]"))
      assert(run.metric("rightStateRows") == 1)
    } finally run.stop()
  }

  test("as values in a list of columns, in an expression and in a filter") {
    val within = s"q.k = o.k AND $before"
    check(
      s"SELECT id, 1 + (SELECT count(*) FROM r q WHERE $within) AS n, (SELECT max(x) FROM r q WHERE $within) AS m FROM l o",
      13
    )
    check(
      s"SELECT id, k FROM l o WHERE x > (SELECT avg(q.x) FROM r q WHERE $within) OR k IS NULL",
      14
    )
  }

  test("a stream beside itself, and the aggregates of two queries joined") {
    val before = "q.k = o.k AND q.ts BETWEEN o.ts - INTERVAL 3 SECONDS AND o.ts"
    def counted(of: String) =
      s"SELECT o.id, o.ts, (SELECT count(*) FROM $of q WHERE $before) AS n FROM l o"
    val joined =
      s"SELECT a.id, a.n, b.n AS m FROM (${counted("l")}) a JOIN (${counted("l")}) b ON a.id = b.id AND a.ts = b.ts"
    // The streams that are joined here are beside themselves as well.
    for ((query, operators) <- Sample.some(Seq(joined -> 3, counted("l") -> 1), 1))
      check(query, 16, operators = operators)
  }

  test("the last row before the interval, where none stands at its beginning") {
    val last = "prevailing(o.ts, q.ts, INTERVAL '-1' SECOND, INTERVAL '1' SECOND)"
    val functions = "count(*) AS n, sum(q.x) AS s, max(q.id) AS m, min(q.ts) AS first"
    val before = s"SELECT count(*) AS c FROM r q WHERE q.k = o.k AND ${between("'-4'", "'-2'")}"
    val (l, r) = (disordered(31, 90), disordered(32, 40))
    def ofBatch(query: String) = {
      for ((name, rows) <- Seq("l" -> (l ++ sentinels), "r" -> (r ++ sentinels)))
        spark.createDataset(rows)(Encoders.product[Event]).createOrReplaceTempView(name)
      ofEvents(rowsOf(spark.sql(query)))
    }
    val alone = lateral(last, functions)
    val besideAnother = alone.replace(", a.*", ", a.*, b.*") + s", LATERAL ($before) b"
    for (
      (query, cuts) <- Seq(alone -> Sample.some(Seq(4, 1), 1), besideAnother -> Seq(cutInto(4)))
    ) {
      val expected = ofBatch(query)
      assert(expected.nonEmpty)
      for (n <- cuts) assert(streamed(query, l, r, n, restarts = n > 1).sorted == expected)
    }
  }

  test("a row has its results when the watermark has passed the end of its interval") {
    def around(from: String, to: String) =
      new Running(
        s"SELECT o.id, (SELECT count(*) FROM r q WHERE ${between(from, to)}) AS n FROM l o"
      ).start()
    val back = around("'-5'", "'0'")
    val on = around("'0'", "'5'")
    val all = Seq(back, on)
    try {
      all.foreach(_.add(Seq(at(10, 1)), Seq(at(9, 2))))
      assert(all.map(_.fresh()) == Seq(Nil, Nil))
      all.foreach(_.add(Seq(at(12, 3)), Seq(at(12, 4))))
      assert(all.map(_.fresh()) == Seq(Seq("[1,1]", "[3,2]"), Nil))
      all.foreach(_.add(Seq(at(16, 5)), Seq(at(16, 6))))
      assert(all.map(_.fresh()) == Seq(Seq("[5,2]"), Seq("[1,1]")))
    } finally all.foreach(_.stop())
  }

  test(
    "the state is the rows of the intervals that are not over, of keys of which no rows come, too"
  ) {
    val run = new Running(lateral(between("'-10'", "'0'"))).start()
    try {
      run.add(Nil, Seq.tabulate(30)(i => Event(1000L + i, i + 10, 1, i.toLong)))
      val last = if (isSoak) 12 else 9
      for (i <- 1 to last) run.add(Seq(at(i * 5d, i.toLong)), Seq(at(i * 5d, 100L + i)))
      assert(run.stateRows <= 4 && run.stateRows >= 2)
      run.stop().start()
      val next = last * 5d + 5
      assert(run.add(Seq(at(next, 30)), Seq(at(next, 131))).stateRows <= 4)
    } finally {
      run.stop()
      ()
    }
  }

  for (
    (name, n) <-
      Seq("goes by the left rows' times" -> "sum(n)", "may read left columns alone" -> "count(*)")
  )
    test(s"what is above $name") {
      val above =
        s"SELECT window(ts, '10 seconds').start AS s, $n AS n FROM (${lateral(before)}) GROUP BY window(ts, '10 seconds')"
      assertGivenAbove(above, "1970-01-01 00:0")
    }

  test("a stream on the left and a table in the subquery") {
    spark.range(60).selectExpr("timestamp_seconds(id) AS ts", "CAST(id % 3 AS INT) AS k")
      .createOrReplaceTempView("t")
    val query =
      "SELECT o.id, a.n FROM l o, LATERAL (SELECT count(*) AS n FROM t q WHERE q.k = o.k AND " +
        "q.ts BETWEEN o.ts - INTERVAL 3 SECONDS AND o.ts) a"
    val l = disordered(91, 60)
    val run = new Running(query).start()
    try {
      run.add(l.take(30), Nil)
      run.add(l.drop(30), Nil)
      assert(run.explained.contains("IntervalAggregate"))
      val rows = run.all
      assert(rows == batchResult(query, l, Nil))
    } finally {
      run.stop()
      ()
    }
  }

  test("a checkpoint is not taken on by aggregates of other rows") {
    val queries = Seq(
      lateral(before),
      lateral(between("'-4'", "'0'")),
      lateral(before, functions.replace("sum(q.x)", "sum(q.x + 1)")),
      lateral(before, keys = "")
    )
    val first = new Running(queries.head).start()
    first.add(Seq(at(10, 1)), Seq(at(10, 2))).stop()
    for ((other, n) <- queries.tail.zipWithIndex) {
      val second = new Running(other, checkpoint = first.checkpoint).takes(first).start()
      val message = second.fails(Seq(at(20 + n, 3)), Seq(at(20 + n, 4))).getMessage
      assert(message.contains("this checkpoint was written by another window join"), message)
    }
    val same = new Running(queries.head, checkpoint = first.checkpoint).takes(first).start()
    try assert(same.add(Seq(at(50, 5)), Seq(at(50, 6))).all.exists(_.startsWith("[5,")))
    finally {
      same.stop()
      ()
    }
  }

  test("what would wait or grow for ever, or is no aggregate, is refused, with what to write") {
    spark.range(3).selectExpr("id", "timestamp_seconds(id) AS ts").createOrReplaceTempView("t")
    def refused(
        query: String,
        what: String,
        watermarks: Boolean = true,
        mode: String = "append"
    ) = {
      val message = intercept[Exception] {
        new Running(query, watermarks = watermarks, mode = mode).start()
      }.getMessage
      assert(message.contains(what), message)
    }
    refused(lateral(before), "call withWatermark", watermarks = false)
    refused(lateral("q.id BETWEEN o.id - 1 AND o.id + 1"), "compare these columns")
    refused(lateral("q.ts <= o.ts"), "is run where it aggregates")
    refused(lateral(before, "count(DISTINCT q.x) AS n"), "is run where it aggregates")
    refused(
      s"SELECT o.id, a.* FROM l o, LATERAL (SELECT q.x FROM r q WHERE $before) a",
      "is run where it aggregates"
    )
    refused(lateral(before), "use outputMode append", mode = "complete")
    refused(
      "SELECT o.id, (SELECT count(*) FROM r q WHERE q.ts BETWEEN o.ts AND o.ts + INTERVAL 1 SECOND) AS n FROM t o",
      "Use a stream on both sides"
    )
  }
}
