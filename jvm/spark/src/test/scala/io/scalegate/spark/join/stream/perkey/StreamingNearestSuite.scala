package io.scalegate.spark.join.stream.perkey

import org.apache.spark.sql.Encoders

import io.scalegate.Sample
import io.scalegate.spark.join.stream.Event
import io.scalegate.spark.join.stream.state.StateReader

/** As-of joins of two streams against the as-of join of the same rows at rest, which is held against its definition.
  * With `SCALEGATE_SOAK` each kind of it is tried with all join types; otherwise with one, another for each kind.
  */
final class StreamingNearestSuite extends AnswersSuite {
  private val types = Seq("INNER", "LEFT", "LEFT SEMI", "LEFT ANTI")

  private def asOf(
      direction: String,
      reach: String = "NULL",
      exact: Boolean = true,
      ties: String = ", r.x"
  ) = s"asof(l.ts, r.ts, '$direction', $reach, $exact$ties)"

  private def queryOf(how: String, marker: String, more: String = "l.k = r.k") = {
    val columns = if (how.startsWith("LEFT ")) "l.id" else "l.id, r.id AS rid"
    s"SELECT $columns FROM l $how JOIN r ON $more AND $marker"
  }

  override protected def example: String = queryOf("LEFT", asOf("nearest", "INTERVAL 1 SECOND"))
  override protected def told: String = "as of: "
  override protected def isOfSentinel(row: String): Boolean = row.contains("-1")

  /** Plain Spark has no such join. */
  override protected def result(query: String, l: Seq[Event], r: Seq[Event]): Seq[String] = {
    for ((name, rows) <- Seq("l" -> l, "r" -> r))
      spark.createDataset(rows)(Encoders.product[Event]).createOrReplaceTempView(name)
    rowsOf(spark.sql(query))
  }

  private val markers = Seq(
    "the last row before" -> asOf("backward"),
    "the last row in reach" -> asOf("backward", "INTERVAL 1 SECOND"),
    "the last row before it, not at it" -> asOf("backward", "NULL", exact = false),
    "the first row after" -> asOf("forward", "INTERVAL 2 SECONDS"),
    "the first row after it, not at it" -> asOf("forward", "INTERVAL 2 SECONDS", exact = false),
    "the nearest row" -> asOf("nearest", "INTERVAL 1 SECOND"),
    "the nearest row in a reach of a day" -> asOf("nearest", "INTERVAL 1 DAY"),
    "the three last rows" -> "nearest(l.ts, r.ts, 3, NULL, 'backward', true, r.x)",
    "the three nearest rows" ->
      "nearest(l.ts, r.ts, 3, INTERVAL 2 SECONDS, 'nearest', false, r.x)"
  )

  for (((name, marker), n) <- markers.zipWithIndex)
    test(s"$name of two streams is what it is of the same rows at rest") {
      val (l, r) = (disordered(2 * n, 90), disordered(2 * n + 1, 80))
      for (how <- Sample.turn(types, n)) {
        val query = queryOf(how, marker)
        val expected = atRest(query, l, r)
        assert(
          streamed(query, l, r, cutInto(4), restarts = how == types(n % 4) && n % 2 == 0)
            .sorted == expected,
          query
        )
      }
    }

  for ((how, i) <- types.zipWithIndex)
    test(s"a $how join passes over rows that a condition refuses") {
      val (l, r) = (disordered(51, 90), disordered(52, 90))
      for (direction <- Sample.turn(Seq("backward", "nearest"), i)) {
        val query =
          queryOf(how, asOf(direction, "INTERVAL 3 SECONDS"), "l.k = r.k AND l.x < r.x")
        assert(streamed(query, l, r, cutInto(3)).sorted == atRest(query, l, r), query)
      }
    }

  test("keys that are equal but for the case of their letters") {
    val (l, r) = (disordered(57, 80), disordered(58, 80))
    val query = queryOf("LEFT", asOf("backward"), withoutCase("l.k", "r.k"))
    assert(streamed(query, l, r, cutInto(3)).sorted == atRest(query, l, r), query)
  }

  test("conditions of one side need no reach") {
    val (l, r) = (disordered(53, 70), disordered(54, 70))
    for (how <- Sample.some(Seq("LEFT", "LEFT SEMI"), 1)) {
      val query = queryOf(how, asOf("backward"), "l.k = r.k AND r.x > 3 AND l.x < 9")
      assert(streamed(query, l, r, cutInto(3)).sorted == atRest(query, l, r), query)
    }
  }

  test("rows without a key meet in one task") {
    val (l, r) = (disordered(55, 60), disordered(56, 60))
    for (marker <- Sample.some(Seq(asOf("nearest", "INTERVAL 1 SECOND"), asOf("backward")), 1)) {
      val query = queryOf("LEFT", marker, "true")
      assert(streamed(query, l, r, 2, restarts = true).sorted == atRest(query, l, r), query)
    }
  }

  test("equal numbers and texts that a collation takes for the same are one key") {
    val (l, r) = (disordered(57, 60), disordered(58, 60))
    for (
      key <- Seq(
        "if(%1$s.id %% 2 = 1, -0.0D, CAST(%1$s.k AS DOUBLE))",
        "if(%1$s.id %% 2 = 1, 'x0', 'X' || %1$s.k) COLLATE UTF8_LCASE"
      )
    ) {
      val query =
        queryOf("INNER", asOf("backward"), s"${key.format("l")} = ${key.format("r")}")
      assert(streamed(query, l, r, 2).sorted == atRest(query, l, r), query)
    }
  }

  test("the rows come in one order, however they are cut into batches") {
    val (l, r) = (disordered(61, 60), disordered(62, 60))
    withSettings("spark.sql.shuffle.partitions" -> "1") {
      for (marker <- Seq(asOf("backward"), asOf("nearest", "INTERVAL 1 SECOND"))) {
        val query = queryOf("LEFT", marker)
        val one = streamed(query, l, r, 1)
        assert(one.nonEmpty && streamed(query, l, r, if (isSoak) 4 else 3) == one)
      }
    }
  }

  test("a row has its answer when no nearer one can come") {
    def joined(marker: String) = new Running(queryOf("LEFT", marker)).start()
    val back = joined(asOf("backward"))
    val on = joined(asOf("forward", "INTERVAL 5 SECONDS"))
    val near = joined(asOf("nearest", "INTERVAL 5 SECONDS"))
    val all = Seq(back, on, near)
    try {
      // Both have come, but a later right row may be nearer to the left one.
      all.foreach(_.add(Seq(at(10, 1)), Seq(at(9, 2))))
      assert(all.map(_.fresh()) == Seq(Nil, Nil, Nil))
      all.foreach(_.add(Seq(at(12, 3)), Seq(at(12, 4))))
      assert(all.map(_.fresh()) == Seq(Seq("[1,2]", "[3,4]"), Nil, Nil))
      all.foreach(_.add(Seq(at(16, 5)), Seq(at(16, 6))))
      assert(all.map(_.fresh()) == Seq(Seq("[5,6]"), Seq("[1,4]"), Seq("[1,2]")))
      // The right side stands still, and so does the watermark.
      all.foreach(_.add(Seq(at(60, 7)), Nil))
      assert(all.forall(_.fresh().isEmpty))
    } finally all.foreach(_.stop())
  }

  private def held(run: Running, side: String) =
    StateReader.read(spark, run.checkpoint.toString, side, 0).select("id").collect()
      .map(_.getLong(0)).toSeq.sorted

  test(
    "without a reach the state is the rows since the watermark and one of each key before it"
  ) {
    val run = new Running(queryOf("LEFT", asOf("backward"))).start()
    try {
      run.add(Seq(at(1, 1)), Seq(Event(1000L, 7, 1, 2L)))
      for (i <- 1 to 3) {
        val rows = Seq.tabulate(5)(j => at(i * 10d + j, 10L * i + j))
        run.add(rows, rows)
      }
      assert(run.stateRows == 2)
      // Nothing but these waits for the watermark.
      run.add(Seq(at(900, 100), at(901, 102)), Seq(at(900, 101)))
      assert(run.stateRows == 3)
      run.stop()
      // A left row goes from the checkpoint with the last of its chunk.
      assert(held(run, "left") == Seq(100L, 102L))
      assert(held(run, "right") == Seq(2L, 101L))
    } finally {
      run.stop()
      ()
    }
  }

  test("in a reach the state is the rows in it, of keys of which no rows come, too") {
    val run =
      new Running(queryOf(
        "LEFT",
        asOf("nearest", "INTERVAL 10 SECONDS"),
        "l.k = r.k AND l.x <> r.x"
      ))
        .start()
    try {
      run.add(Nil, Seq.tabulate(30)(i => Event(1000L + i, i + 10, 1, i.toLong)))
      val last = if (isSoak) 12 else 9
      for (i <- 1 to last) run.add(Seq(at(i * 5d, i.toLong)), Seq(at(i * 5d, 100L + i)))
      // Of the left rows those 10 seconds back, of the right ones those 20; the others went within a quarter of that.
      assert(run.stateRows <= 2 + 6 && run.stateRows >= 2 + 4)
      run.stop().start()
      val next = last * 5d + 5
      assert(run.add(Seq(at(next, 30)), Seq(at(next, 131))).stateRows <= 2 + 6)
    } finally {
      run.stop()
      ()
    }
  }

  test("rows behind the watermark are dropped, and counted") {
    val run = new Running(queryOf("LEFT", asOf("backward"))).start()
    try {
      run.add(Seq(at(10, 1)), Seq(at(10, 2)))
      run.add(Seq(at(5, 3), at(20, 4)), Seq(at(5, 5), at(20, 6)))
      assert(run.all == Seq("[1,2]", "[4,6]"))
    } finally {
      run.stop()
      ()
    }
  }

  test("what is above goes by the times of left rows, and of right ones within a reach") {
    def counted(marker: String, side: String) =
      s"SELECT count(*) AS n, window($side.ts, '10 seconds').start AS s FROM l JOIN r ON l.k = r.k AND $marker " +
        s"GROUP BY window($side.ts, '10 seconds')"
    for (
      (marker, side) <- Sample.some(
        Seq(
          asOf("backward") -> "l",
          asOf("nearest", "INTERVAL 1 SECOND") -> "r",
          asOf("backward", "INTERVAL 1 SECOND") -> "r"
        ),
        2
      )
    ) assertGivenAbove(counted(marker, side), "1970-01-01")
    val message = fails(counted(asOf("backward"), "r"))
    assert(message.contains("Use the left side's time, or give the join a tolerance"), message)
  }

  test("Spark's own as-of joins of streams are run here, too") {
    val direct =
      "SELECT l.id, r.id AS rid FROM l LEFT ASOF JOIN r MATCH_CONDITION (l.ts >= r.ts) ON l.k = r.k"
    val (l, r) = (disordered(91, 50), disordered(92, 50).distinctBy(e => (e.ts, e.k)))
    withSettings("spark.sql.join.asofJoin.enabled" -> "true") {
      assume(scala.util.Try(spark.sql("SELECT 1 FROM range(1) a ASOF JOIN range(1) b " +
        "MATCH_CONDITION (a.id >= b.id)")).isSuccess)
      assert(streamed(direct, l, r, 2).sorted == atRest(queryOf("LEFT", asOf("backward")), l, r))
    }
  }

  test("a checkpoint is not taken on by a join that asks for other rows") {
    val queries = Seq(
      queryOf("LEFT", asOf("backward", "INTERVAL 5 SECONDS")),
      queryOf("LEFT", asOf("forward", "INTERVAL 5 SECONDS")),
      queryOf("LEFT", asOf("backward", "INTERVAL 6 SECONDS")),
      queryOf("LEFT", asOf("backward", "INTERVAL 5 SECONDS", exact = false)),
      queryOf("LEFT", asOf("backward", "INTERVAL 5 SECONDS", ties = ", r.id"))
    )
    val first = new Running(queries.head).start()
    first.add(Seq(at(10, 1)), Seq(at(10, 2))).stop()
    for ((other, n) <- queries.tail.zipWithIndex) {
      val second = new Running(other, checkpoint = first.checkpoint).takes(first).start()
      val message = second.fails(Seq(at(20 + n, 3)), Seq(at(20 + n, 4))).getMessage
      assert(message.contains("this checkpoint was written by another window join"), message)
    }
    val same = new Running(queries.head, checkpoint = first.checkpoint).takes(first).start()
    try assert(same.add(Seq(at(50, 5)), Seq(at(50, 6))).all.contains("[5,6]"))
    finally {
      same.stop()
      ()
    }
  }

  private def fails(query: String, watermarks: Boolean = true): String =
    intercept[Exception](new Running(query, watermarks = watermarks).start()).getMessage

  test("what would wait or grow for ever is refused, with what to write") {
    val marker = asOf("backward")
    def refused(query: String, what: String, watermarks: Boolean = true) = {
      val message = fails(query, watermarks)
      assert(message.contains(what), message)
    }
    refused(queryOf("LEFT", marker), "call withWatermark", watermarks = false)
    refused(queryOf("LEFT", "asof(l.id, r.id)"), "let it compare these columns")
    refused(queryOf("LEFT", asOf("forward")), "'forward', INTERVAL 5 SECONDS")
    refused(queryOf("INNER", asOf("nearest")), "tolerance=\"5 seconds\"")
    refused(queryOf("LEFT", asOf("nearest", "INTERVAL 1 MONTH")), "of at most days")
    refused(queryOf("LEFT", marker, "l.k = r.k AND l.x < r.x"), "Give it a tolerance")
  }

  test("a table on the left and a stream on the right are refused") {
    spark.range(3).selectExpr("id", "timestamp_seconds(id) AS ts").createOrReplaceTempView("t")
    for (how <- types) {
      val message = fails(s"SELECT l.id FROM t l $how JOIN r ON asof(l.ts, r.ts)")
      assert(message.contains("Join two streams, or a stream on the left with a table"), message)
    }
  }
}
