package io.scalegate.spark.join.stream.cube

import org.apache.spark.sql.Encoders

import io.scalegate.spark.join.stream.{DisorderedStreamsSuite, Event}

/** Joins of three streams by a cube of workers, beside plain Spark's two joins of the same rows. The third input is of the
  * first stream.
  */
final class StreamingCubesSuite extends DisorderedStreamsSuite {
  private def near(a: String, b: String, seconds: Int = 2) =
    s"$b.ts BETWEEN $a.ts - INTERVAL $seconds SECONDS AND $a.ts + INTERVAL $seconds SECONDS"

  private def query(on: String, layout: String = "2x1x1", columns: String = "l.id, r.id, t.id") =
    s"SELECT /*+ CUBE_JOIN('$layout') */ $columns FROM l, r, l AS t WHERE $on"

  private val all = s"${near("l", "r")} AND ${near("r", "t")} AND ${near("l", "t")}"

  private def atRest(query: String, l: Seq[Event], r: Seq[Event]): Seq[String] = {
    for ((name, rows) <- Seq("l" -> l, "r" -> r))
      spark.createDataset(rows)(Encoders.product[Event]).createOrReplaceTempView(name)
    plainSpark(rowsOf(spark.sql(query)))
  }

  for (
    ((name, on), i) <- Seq(
      "windows of all pairs, and any condition" -> s"$all AND (l.x + r.x + t.x) % 5 = 0",
      "a key and bands" ->
        s"$all AND l.k = r.k AND r.k = t.k AND abs(l.x - r.x) <= 2 AND t.x - r.x BETWEEN 0 AND 3",
      "windows to one side of two pairs" ->
        ("r.ts > l.ts AND r.ts <= l.ts + INTERVAL 3 SECONDS AND t.ts >= r.ts AND t.ts < r.ts + INTERVAL 1 SECOND " +
          "AND l.x < r.x AND r.x < t.x"),
      "conditions on one, and a value of a table" ->
        s"$all AND l.x > 3 AND t.k IS NOT NULL AND l.x + r.x - t.x < (SELECT max(id) FROM range(4))"
    ).zipWithIndex
  ) test(s"$name: the rows of two joins, however the rows are cut") {
    val (l, r) = (disordered(20 + i, 100), disordered(30 + i, 80))
    val asked = query(on, Seq("2x1x1", "1x2x2", "1x1x1")(i % 3))
    val expected = atRest(asked, l, r)
    assert(expected.size > 20)
    for (cuts <- if (isSoak) Seq(1, 5) else Seq(3))
      assert(joined(asked, l, r, cuts).sorted == expected.sorted, cuts)
  }

  test("triples come in the order of their latest rows, wherever another run goes on") {
    val (l, r) = (disordered(5, 90), disordered(6, 90))
    val asked = query(
      s"$all AND l.x <= r.x AND r.x <= t.x",
      columns = "greatest(l.ts, r.ts, t.ts), l.id, r.id, t.id"
    )
    val one = joined(asked, l, r, 1)
    var run = new Running(asked, delay = "1 second")
    var rows = Seq.empty[String]
    for (i <- 0 until 3) {
      val layout = Seq("2x1x1", "1x3x1", "1x1x1")(i)
      val next =
        new Running(asked.replace("2x1x1", layout), "1 second", checkpoint = run.checkpoint)
      run = next.takes(run).start()
      try {
        run.add(l.slice(i * 30, (i + 1) * 30), r.slice(i * 30, (i + 1) * 30))
        if (i == 2) run.add(sentinels, sentinels)
        rows ++= run.inOrder
      } finally run.stop()
    }
    assert(rows.filterNot(_.contains("-1")) == one && one == one.sortBy(_.takeWhile(_ != ',')))
    assert(one.size > 100)
  }

  test(
    "rows are held for as long as the windows reach, and a window aggregate above is given what closes"
  ) {
    val on = s"$all AND l.x = r.x AND r.x = t.x"
    val asked = query(on, columns = "count(*)") + " GROUP BY window(l.ts, '5 seconds')"
    val run = new Running(asked, delay = "0 seconds").start()
    try {
      val last = if (isSoak) 60 else 40
      for (seconds <- (10 to last).grouped(4)) run.add(
        seconds.map(s => at(s.toDouble, 100L + s)),
        seconds.map(s => at(s.toDouble, 200L + s))
      )
      assert(run.all.size >= last / 5 - 5, run.all)
      // Of the window from 15 s: each second's row has five of each other input.
      assert(run.all.exists(_.endsWith("[95]")), run.all)
      val held = run.stateOf("windowJoin")
      assert(held > 0 && held <= 3 * (4 + 4 + 2), held)
    } finally run.stop()
  }

  test("late rows are dropped, and rows without a time or a band match nothing") {
    val run = new Running(query(s"$all AND abs(l.x - r.x) <= 1 AND t.x = l.x")).start()
    try {
      run.add(
        Seq(at(10, 1), Event(null, Some(1), Some(5), 2)),
        Seq(at(10, 11), at(10, 12).copy(x = None))
      )
      run.add(Seq(at(20, 3)), Seq(at(20, 13)))
      run.add(Seq(at(5, 4)), Seq(at(5, 14)))
      run.add(Seq(at(60, 5)), Seq(at(60, 15)))
      assert(run.all == Seq("[1,11,1]", "[3,13,3]", "[5,15,5]") && run.dropped == 3)
    } finally run.stop()
  }

  test("EXPLAIN names windows, condition and cube") {
    val run = new Running(query(s"$all AND l.x + r.x = t.x", "1x2x2")).start()
    try {
      val shown = run.add(Seq(at(10, 1)), Seq(at(10.5, 2))).explained
      assert(shown.contains("StreamingWindowJoin Inner, windows: "), shown)
      assert(
        shown.contains("; algorithm: cube of 1 x 2 x 2 workers in one task, in order"),
        shown
      )
    } finally run.stop()
  }

  for (
    (what, on, watermarks, mode, why) <- Seq(
      ("no watermark", all, false, "append", "call withWatermark"),
      (
        "a window without an end",
        s"${near("l", "r")} AND t.ts > r.ts",
        true,
        "append",
        "needs a window between"
      ),
      ("complete mode", all, true, "complete", "cannot be written in complete mode"),
      ("chance in the condition", s"$all AND rand() < 0.5", true, "append", "rand(")
    )
  ) test(s"it is refused with $what") {
    val e = intercept[Exception](
      new Running(query(on), watermarks = watermarks, mode = mode).start().stop()
    )
    assert(e.getMessage.contains(why), e)
  }

  test("two streams and a table are refused") {
    val e = intercept[Exception](new Running(
      query(all).replace("l AS t", "(SELECT * FROM known) AS t"),
      views = () =>
        spark.sql("SELECT TIMESTAMP'1970-01-01 00:00:10' AS ts, 1 AS x, 1L AS id")
          .createOrReplaceTempView("known")
    ).start().stop())
    assert(e.getMessage.contains("and 2 of these inputs are streams"), e)
  }

  test("a condition that throws in a worker ends the query, and the threads") {
    endsWithItsThreads(query(s"$all AND fussy(l.x) + r.x < t.x + 99"))
  }
}
