package io.scalegate.spark.join.stream

import java.sql.Timestamp

import org.apache.spark.sql.Encoders

import io.scalegate.spark.settings.ScaleGateConf

/** Joins of streams of each type, in order, over rows and in matrices, against the batch join of the same rows. With
  * `SCALEGATE_SOAK` each condition is tried with every type; otherwise with some, so that each type comes up.
  */
final class StreamingJoinTypesSuite extends DisorderedStreamsSuite {
  private val conditions = Seq(
    "a band" -> s"$within AND abs(l.x - r.x) <= 2",
    "a key" -> s"l.k = r.k AND $within",
    "a key and a residual" -> s"l.k = r.k AND $within AND l.x < r.x",
    "intervals that overlap" -> s"r.ts <= ${end("l")} AND l.ts <= ${end("r")} AND (l.id + r.id) % 2 = 0",
    "points in intervals" -> s"abs(l.x - r.x) <= 2 AND r.ts > l.ts AND r.ts <= ${end("l")}",
    "intervals of each key" ->
      s"l.k = r.k AND r.ts - INTERVAL 1 SECOND < ${end("l")} AND l.ts <= ${end("r")}",
    "time alone" -> s"$within AND (l.x + r.x) % 3 = 0"
  )

  /** Of an interval of as many seconds as a row's x. */
  private def end(side: String) = s"timestamp_micros(unix_micros($side.ts) + 1000000 * $side.x)"

  /** Rows by the order of their times and sides.
    *
    * @param lastId
    *   tells later rows of equal times apart
    */
  private case class Pair(last: Long, lastId: Long, first: Long, text: String)

  private val asked = Map(
    "a band" -> Seq("FULL", "LEFT ANTI"),
    "a key" -> Seq("LEFT SEMI"),
    "a key and a residual" -> Seq("LEFT"),
    "time alone" -> Seq("RIGHT"),
    "intervals that overlap" -> Seq("INNER", "FULL"),
    "points in intervals" -> Seq("LEFT", "LEFT SEMI"),
    "intervals of each key" -> Seq("LEFT ANTI")
  )

  for ((name, condition) <- conditions; joinType <- if (isSoak) types else asked(name))
    test(
      s"$joinType join by $name gives what the batch join gives, however the rows are cut into batches"
    ) {
      val columns = if (joinType.contains("S") || joinType.contains("ANTI")) "l.*" else "*"
      val query = s"SELECT $columns FROM l $joinType JOIN r ON $condition"
      val (l, r) = (disordered(1, 120), disordered(2, 100))
      val expected = batchResult(query, l, r).filterNot(_.contains("-100"))
      assert(joined(query, l, r, cutInto(3)).sorted == expected)
    }

  for (how <- Seq("LEFT SEMI", "LEFT ANTI"))
    test(s"$how join: a row that has matched is tested no more") {
      val tested = spark.sparkContext.longAccumulator
      spark.udf.register(
        "tested",
        (a: Int, b: Int) => {
          tested.add(1)
          a == b
        }
      )
      val query = s"SELECT l.id FROM l $how JOIN r ON l.k = r.k AND $within AND tested(l.x, r.x)"
      val run = new Running(query).start()
      try {
        val r = Seq.tabulate(20)(i => at(2 + 0.01 * i, 100L + i))
        run.add(Seq(at(2, 1), at(2, 2, x = 6)), r.take(10))
        assert(tested.sum == 1 + 10)
        run.add(Nil, r.drop(10))
        assert(tested.sum == 1 + 20)
        run.add(sentinels, sentinels)
        val expected = if (how.endsWith("SEMI")) "[1]" else "[2]"
        assert(run.all.filterNot(_.contains("-1")) == Seq(expected))
      } finally {
        run.stop()
        ()
      }
    }

  test(
    "in order: by the later row of a pair, then by the earlier, however the rows are cut into batches"
  ) {
    val (l, r) = (disordered(3, 150), disordered(4, 150))
    val query =
      "SELECT /*+ WINDOW_JOIN(l, r, 'ordered') */ l.id AS a, r.id AS b FROM l JOIN r ON " +
        conditions.head._2
    def key(e: Event, side: Int) = 2 * e.ts.getTime + side
    val pairs = for {
      a <- l
      b <- r
      x <- a.x
      y <- b.x
      apart = b.ts.getTime - a.ts.getTime
      if math.abs(x - y) <= 2 && apart >= -2000 && apart <= 3000
    } yield {
      val (first, last) =
        if (key(a, 0) < key(b, 1)) (key(a, 0), key(b, 1)) else (key(b, 1), key(a, 0))
      Pair(last, if (last == key(a, 0)) a.id else -b.id, first, s"[${a.id},${b.id}]")
    }
    val one = joined(query, l, r, 1)
    assert(one.sorted == pairs.map(_.text).sorted && one.nonEmpty)
    val inOrder = one.map(text => pairs.find(_.text == text).get)
    assert(inOrder.map(_.last) == pairs.map(_.last).sorted)
    // Later rows of equal times are ordered by their bytes, which the ids do not tell.
    val runs = inOrder.map(_.lastId).foldLeft(Vector.empty[Long]) { (ids, id) =>
      if (ids.lastOption.contains(id)) ids else ids :+ id
    }
    assert(runs.distinct == runs, "the pairs of a later row come together")
    for (ofOne <- inOrder.groupBy(_.lastId).values)
      assert(ofOne.map(_.first) == ofOne.map(_.first).sorted)
    assert(joined(query, l, r, 3) == one)
  }

  /** The time when a row of a join in order is given, of one that matches nothing: when its window closes. */
  private def givenAt(text: String, l: Seq[Event], r: Seq[Event]): Long = {
    val ids = text.stripPrefix("[").stripSuffix("]").split(",")
    def eventOf(events: Seq[Event], id: String) = events.find(_.id.toString == id)
    (eventOf(l, ids(0)), ids.lift(1).flatMap(eventOf(r, _))) match {
      case (Some(a), Some(b)) => math.max(a.ts.getTime, b.ts.getTime)
      case (Some(a), None) if a.x.isEmpty => a.ts.getTime
      case (Some(a), None) => a.ts.getTime + 3000
      case (None, Some(b)) if b.x.isEmpty => b.ts.getTime
      case (None, Some(b)) => b.ts.getTime + 2000
      case (None, None) => fail(s"$text is of no row")
    }
  }

  for (joinType <- Seq("FULL", "LEFT SEMI"))
    test(s"in order: $joinType join gives each row in its turn, however the rows are cut") {
      val isHalf = joinType.contains("SEMI") || joinType.contains("ANTI")
      val columns = if (isHalf) "l.id AS a" else "l.id AS a, r.id AS b"
      val hint = "/*+ WINDOW_JOIN(l, r, 'ordered') */ "
      val (l, r) = (disordered(5, 80), disordered(6, 80))
      val query = s"SELECT $hint$columns FROM l $joinType JOIN r ON ${conditions.head._2}"
      val expected = batchResult(query.replace(hint, ""), l, r)
      // The sentinels have no match either, and no time to be given.
      def inTurn(cuts: Int) = joined(query, l, r, cuts).filterNot(_.contains("-1"))
      val one = inTurn(1)
      assert(one.sorted == expected && expected.nonEmpty)
      if (!joinType.contains("SEMI")) {
        val times = one.map(givenAt(_, l, r))
        assert(times == times.sorted)
      }
      assert(inTurn(3) == one)
    }

  test("in order: rows that wait are waited for after a restart, too") {
    val (l, r) = (disordered(7, 60), disordered(8, 60))
    val query =
      "SELECT /*+ WINDOW_JOIN(l, r, 'ordered') */ l.id AS a, r.id AS b FROM l FULL JOIN r ON " +
        conditions.head._2
    val one = joined(query, l, r, 1)
    val run = new Running(query, delay = "1 second").start()
    try {
      for (i <- 0 until 3) {
        run.add(l.slice(i * 20, (i + 1) * 20), r.slice(i * 20, (i + 1) * 20))
        run.stop().start()
      }
      run.add(sentinels, sentinels)
      assert(run.inOrder.filterNot(_.contains("-1")) == one)
      assert(one.exists(_.contains("null")))
    } finally run.stop()
  }

  for (
    (joinType, n) <-
      Seq("INNER" -> "5", "FULL" -> "array(2, 5)", "LEFT ANTI" -> "array(0, 5)")
  )
    test(
      s"rows: $joinType join over the last rows gives what the batch join gives, with NULLs in place"
    ) {
      val columns = if (joinType.contains("ANTI")) "l.*" else "*"
      val query =
        s"SELECT $columns FROM l $joinType JOIN r ON within_rows(l.ts, r.ts, $n) AND " +
          "abs(l.x - r.x) <= 2 AND l.k <= r.k"
      val (l, r) = (disordered(21, 120), disordered(22, 100))
      // As the sentinels do, others at the end move all rows out of the window.
      val rest = Seq.tabulate(8)(i => Event(9000000L + i, -1, -100, -1L))
      for ((name, rows) <- Seq("l" -> (l ++ rest), "r" -> (r ++ rest)))
        spark.createDataset(rows)(Encoders.product[Event]).createOrReplaceTempView(name)
      val expected = rowsOf(spark.sql(query)).filterNot(_.contains("-100"))
      val got = joined(query, l, r, cutInto(3))
      assert(got.sorted == expected && expected.nonEmpty)
    }

  for (
    (whose, keys, read, condition) <- Seq(
      ("all", "", "x", "abs(l.x - r.x) <= 3"),
      ("each key's", ", l.k, r.k", "id", "l.id <> r.id")
    )
  )
    test(s"rows of equal times, of $whose, are in the order of all columns, whatever is read") {
      val atOnce = (rows: Seq[Event]) =>
        rows.map(e => e.copy(ts = new Timestamp(4000 + e.ts.getTime / 4000 * 4000)))
      val (l, r) = (atOnce(disordered(23, 90)), atOnce(disordered(24, 90)))
      val query =
        s"SELECT l.$read, r.$read FROM l JOIN r ON within_rows(l.ts, r.ts, 2$keys) AND $condition"
      for ((name, rows) <- Seq("l" -> l, "r" -> r))
        spark.createDataset(rows)(Encoders.product[Event]).createOrReplaceTempView(name)
      val expected = rowsOf(spark.sql(query))
      assert(joined(query, l, r, 1).sorted == expected && expected.nonEmpty)
    }

  test("rows: a window goes by the event times, and needs watermarks alone") {
    def starting(condition: String, watermarks: Boolean = true): String =
      intercept[IllegalArgumentException](
        new Running(s"SELECT * FROM l JOIN r ON $condition", watermarks = watermarks).start()
      ).getMessage
    assert(
      starting("within_rows(l.ts, r.ts, 5)", watermarks = false).contains("has no watermark")
    )
    val message = starting("within_rows(l.id, r.id, 5)")
    assert(message.contains("give it the event times, ts of the left input and ts of the right"))
  }

  test("over intervals: what their rows cannot be, in order or of a promised age, is refused") {
    val on = conditions.toMap.apply("intervals that overlap")
    def starting(query: String, mode: String = "append"): String =
      intercept[IllegalArgumentException](new Running(query, mode = mode).start()).getMessage
    def hinted(hint: String) =
      starting(s"SELECT /*+ WINDOW_JOIN(l, r, '$hint') */ l.id FROM l JOIN r ON $on")
    assert(hinted("ordered").contains("gives its rows as they are found"))
    assert(hinted("pim").contains("no operator has a window whose end is a column"))
    val counts =
      s"SELECT window(l.ts, '1 minute'), count(*) FROM l JOIN r ON $on GROUP BY window(l.ts, '1 minute')"
    assert(starting(counts).contains("an interval may be of any length"))
    new Running(counts, mode = "update").start().stop()
    val bounded = s"$on AND r.ts BETWEEN l.ts - INTERVAL 1 HOUR AND l.ts + INTERVAL 1 HOUR"
    new Running(counts.replace(on, bounded)).start().stop()
  }

  for (
    (layout, joinType) <-
      Seq("2x3" -> "INNER", "3x1" -> "LEFT", "1x3" -> "RIGHT", "2x1" -> "LEFT ANTI");
    what <- Seq("time alone", "intervals that overlap")
    if isSoak || (what == "time alone") == (layout == "2x3" || joinType == "RIGHT")
  )
    test(s"a matrix of $layout cells: $joinType join by $what gives the same") {
      val (l, r) = (disordered(31, 120), disordered(32, 100))
      val columns = if (joinType.contains("ANTI")) "l.*" else "*"
      def query(hint: String) =
        s"SELECT $hint$columns FROM l $joinType JOIN r ON ${conditions.toMap.apply(what)}"
      val expected = batchResult(query(""), l, r)
      assert(joined(query(s"/*+ WINDOW_JOIN(l, r, '$layout') */ "), l, r, 2).sorted == expected)
    }

  test("one task: as many threads as are asked for look for pairs") {
    val (l, r) = (disordered(11, 400), disordered(12, 400))
    val query = s"SELECT l.id, r.id FROM l FULL JOIN r ON ${conditions.last._2}"
    val expected = batchResult(query, l, r)
    spark.conf.set(ScaleGateConf.CellThreads, "3")
    try assert(joined(query, l, r, 2).sorted == expected)
    finally spark.conf.unset(ScaleGateConf.CellThreads)
  }
}
