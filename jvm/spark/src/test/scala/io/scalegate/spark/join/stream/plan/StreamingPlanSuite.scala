package io.scalegate.spark.join.stream.plan

import io.scalegate.spark.join.stream.StreamingJoinSuite

/** Where streaming joins stand in larger queries, and what is said of them. */
final class StreamingPlanSuite extends StreamingJoinSuite {
  private val within = "r.ts BETWEEN l.ts - INTERVAL 1 SECOND AND l.ts + INTERVAL 1 SECOND"

  test("a filter above the join is the join's condition, whoever wrote it so") {
    val run =
      new Running(s"SELECT l.id AS a, r.id AS b FROM l, r WHERE $within AND abs(l.x - r.x) <= 1")
    try {
      run.start().add(Seq(at(10, 1), at(10, 2, x = 9)), Seq(at(10.5, 100)))
      assert(run.operator == "windowJoin" && run.fresh() == Seq("[1,100]"))
    } finally run.stop()
  }

  test("windows of time over a join's rows are closed when all of their rows have come") {
    val run = new Running(
      "SELECT window(ts, '5 seconds').start AS start, count(*) AS n, sum(b) AS sum FROM (" +
        s"SELECT l.ts, r.id AS b FROM l JOIN r ON $within AND abs(l.x - r.x) <= 1) GROUP BY window(ts, '5 seconds')"
    ).start()
    try {
      run.add(Seq(at(10, 1), at(14.9, 2)), Seq(at(10.5, 100)))
      run.add(Seq(at(15.5, 3)), Seq(at(15.8, 101)))
      assert(run.fresh().isEmpty, "a right row of 15.8 may still meet a left one of 14.9")
      run.add(Seq(at(30, 4)), Seq(at(30, 102)))
      assert(run.fresh() == Seq(
        "[1970-01-01 00:00:10.0,2,201]",
        "[1970-01-01 00:00:15.0,1,101]"
      ))
    } finally run.stop()
  }

  test("a join of a join, and of a stream with itself") {
    val run = new Running(
      "SELECT a.one, a.two, r.id AS three FROM (" +
        s"SELECT l.ts, l.x, l.id AS one, r.id AS two, r.ts AS other FROM l JOIN r ON $within AND abs(l.x - r.x) <= 1) a " +
        "LEFT JOIN r ON r.ts BETWEEN a.ts AND a.ts + INTERVAL 1 SECOND AND a.x = r.x AND r.id > a.two"
    ).start()
    try {
      run.add(Seq(at(10, 1), at(20, 2)), Seq(at(10, 100), at(10.9, 101), at(20.1, 102)))
      run.add(Seq(at(40, 3)), Seq(at(40, 103)))
      run.add(Seq(at(60, 4)), Seq(at(60, 104)))
      run.add(Seq(at(80, 4)), Seq(at(80, 105)))
      assert(run.all.filterNot(_.startsWith("[4")) ==
        Seq("[1,100,101]", "[1,101,null]", "[2,102,null]", "[3,103,null]"))
    } finally run.stop()
  }

  test("EXPLAIN names the operator, the window, the bands and where rows meet") {
    def explained(query: String) = {
      val run = new Running(query).start()
      try run.add(Seq(at(10, 1)), Seq(at(10, 2))).explained
      finally run.stop()
    }
    val banded = explained(s"SELECT * FROM l JOIN r ON $within AND abs(l.x - r.x) <= 1")
    assert(banded.contains("StreamingWindowJoin Inner"))
    assert(banded.contains("r.ts - l.ts in [-1 second, 1 second]"))
    assert(banded.contains("index over both windows in cells along r.x"))
    val keyed = explained(s"SELECT * FROM l LEFT JOIN r ON $within AND l.k = r.k")
    assert(keyed.contains("StreamingWindowJoin LeftOuter") && keyed.contains("keys: l.k = r.k"))
    val theta = explained(s"SELECT * FROM l JOIN r ON $within AND l.x * r.x > 3")
    assert(theta.contains("index over both windows in one task"))
    val hint = "/*+ WINDOW_JOIN(l, r, '2x3') */"
    val cells = explained(s"SELECT $hint * FROM l JOIN r ON $within AND l.x * r.x > 3")
    assert(cells.contains("index over both windows in a matrix of 2 x 3 cells"))
    val rows = explained("SELECT * FROM l JOIN r ON within_rows(l.ts, r.ts, 9) AND l.k = r.k")
    assert(rows.contains("window: last 9 rows by l.ts, r.ts") && rows.contains("keys: l.k = r.k"))
    assert(rows.contains("index over both windows in one task, in order"))
  }

  test("a hint is honoured, and one for another algorithm refused") {
    val hinted = s"SELECT /*+ WINDOW_JOIN(l, r, 'index') */ l.id FROM l JOIN r ON $within"
    val run = new Running(hinted).start()
    try {
      run.add(Seq(at(10, 1)), Seq(at(10.5, 100)))
      assert(run.operator == "windowJoin" && run.fresh() == Seq("[1]"))
    } finally run.stop()
    def refused(hint: String, query: String = hinted) =
      intercept[IllegalArgumentException](new Running(query.replace("'index'", hint)).start())
        .getMessage
    assert(refused("'sweep'").contains("cannot join two streams"))
    assert(refused("'matrix'").contains("needs its layout"))
    assert(refused("'2x3'", hinted.replace(" JOIN", " LEFT JOIN")).contains(
      "in one cell, as in a layout of 6x1"
    ))
    assert(refused("'2x1'", hinted.replace(" JOIN", " FULL JOIN")).contains(
      "decides the rows of both sides"
    ))
    assert(refused("'2x1', 'ordered'").contains("in one order"))
    assert(refused("'2x1'", s"$hinted AND l.k = r.k").contains("brought together by the key"))
  }

  test(
    "equal event times bound the state, with other keys and without, and whatever else is asked"
  ) {
    for (
      condition <- Seq(
        "l.ts = r.ts AND l.x < r.x",
        "l.ts = r.ts AND l.k = r.k AND l.x < r.x",
        "l.ts = r.ts AND abs(l.x - r.x) <= 3",
        "l.ts = r.ts AND l.x <= r.id AND l.id <= r.x"
      )
    ) {
      val query = s"SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON $condition"
      val (l, r) =
        (
          Seq(at(10, 1, x = 4), at(11, 2, x = 9), at(12, 6)),
          Seq(at(10, 5), at(10.5, 6), at(12, 7))
        )
      val expected = batchResult(query, l, r)
      val run = new Running(query).start()
      try {
        run.add(l, r).add(Seq(at(100, 8)), Seq(at(100, 9)))
        if (isSoak) run.add(Seq(at(200, 8)), Seq(at(200, 9)))
        assert(run.operator == "windowJoin", condition)
        assert(run.all.filterNot(row => row.startsWith("[8")) == expected, condition)
      } finally run.stop()
    }
  }

  test("state goes as the watermark moves, and every row with it in the end") {
    val run = new Running(s"SELECT l.id FROM l FULL JOIN r ON $within AND l.k = r.k").start()
    try {
      for (i <- 1 to 10) {
        run.add(Seq.tabulate(20)(n => at(10.0 * i + n / 10.0, n.toLong)), Seq(at(10.0 * i, -1)))
        assert(run.metric("leftStateRows") + run.metric("rightStateRows") <= 50)
      }
      run.add(Seq(at(1000, 1)), Seq(at(1000, 2)))
      assert(run.metric("leftStateRows") == 1 && run.metric("rightStateRows") <= 2)
      assert(run.metric("leftStateBytes") + run.metric("rightStateBytes") < 300)
    } finally run.stop()
  }

  test("a batch without data follows where it may give rows, and only there") {
    def batches(query: String) = {
      val run = new Running(query).start()
      try {
        run.add(Seq(at(10, 1), at(20, 2)), Seq(at(10.5, 100), at(20, 101)))
        val first = run.batches
        run.add(Seq(at(60, 3)), Seq(at(60, 102))).add(Seq(at(61, 4)), Seq(at(61, 103)))
        assert(run.metric("leftStateRows") <= 2 && run.metric("rightStateRows") <= 2)
        first
      } finally run.stop()
    }
    def join(how: String) = s"SELECT l.id FROM l $how JOIN r ON $within AND l.k = r.k"
    for (how <- Seq("INNER", "LEFT SEMI")) assert(batches(join(how)) == 1, how)
    for (how <- Seq("LEFT", "RIGHT", "FULL", "LEFT ANTI")) assert(batches(join(how)) == 2, how)
    val hint = "/*+ WINDOW_JOIN(l, r, 'ordered') */"
    assert(batches(s"SELECT $hint l.id FROM l JOIN r ON $within") == 2)
  }
}
