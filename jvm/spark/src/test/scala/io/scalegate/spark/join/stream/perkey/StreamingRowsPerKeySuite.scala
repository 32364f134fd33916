package io.scalegate.spark.join.stream.perkey

import java.sql.Timestamp

import org.apache.spark.sql.Encoders

import io.scalegate.spark.join.stream.state.StateReader
import io.scalegate.spark.join.stream.{Event, StreamingJoinSuite}

/** Row-count windows of each key over two streams, against the join of the same rows at rest. */
final class StreamingRowsPerKeySuite extends StreamingJoinSuite {
  private val types = Seq("INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI")

  private def queryOf(how: String, n: String) = {
    val columns = if (how.startsWith("LEFT ")) "l.*" else "*"
    s"SELECT $columns FROM l $how JOIN r ON within_rows(l.ts, r.ts, $n, l.k, r.k) AND abs(l.x - r.x) <= 5"
  }

  /** Events whose times rise but for a second's disorder; some have no key, some no value. */
  private def events(seed: Int, count: Int): Seq[Event] = {
    val random = new scala.util.Random(seed)
    def sometimes(value: Int) = Option.when(random.nextInt(9) > 0)(value)
    Seq.tabulate(count) { i =>
      val at = new Timestamp(1000L + i * 150L + 500 * random.nextInt(3))
      Event(at, sometimes(random.nextInt(3)), sometimes(random.nextInt(12)), i.toLong)
    }
  }

  /** They move the watermark past all others, and these out of the windows of their keys. */
  private val sentinels = {
    val ofKeys = for (k <- 0 until 3; i <- 0 until 8) yield Event(10000000L + i, k, -100, -1L)
    ofKeys :+ Event(20000000L, -1, -100, -1L)
  }

  /** Rows at the end of each key that are not decided, and those that move them. */
  private def ofEvents(rows: Seq[String]) = rows.filterNot(_.contains("-1"))

  private def joined(
      query: String,
      l: Seq[Event],
      r: Seq[Event],
      cuts: Int,
      restarts: Boolean
  ): Seq[String] = {
    val run = new Running(query, delay = "1 second").start()
    try {
      val size = (l.length + cuts - 1) / cuts
      for (i <- 0 until cuts) {
        run.add(l.slice(i * size, (i + 1) * size), r.slice(i * size, (i + 1) * size))
        if (restarts) run.stop().start()
      }
      run.add(sentinels, sentinels)
      assert(run.operator == "windowJoin")
      ofEvents(run.inOrder)
    } finally run.stop()
  }

  for (how <- types)
    test(s"$how join over the last rows of a key gives what the batch join gives") {
      val (l, r) = (events(21, 80), events(22, 70))
      val n = how match {
        case "FULL" => "1"
        case "LEFT" => "array(0, 4)"
        case "RIGHT" => "array(4, 2)"
        case _ => "4"
      }
      for ((name, rows) <- Seq("l" -> (l ++ sentinels), "r" -> (r ++ sentinels)))
        spark.createDataset(rows)(Encoders.product[Event]).createOrReplaceTempView(name)
      val expected = ofEvents(rowsOf(spark.sql(queryOf(how, n))))
      assert(expected.nonEmpty)
      val restarts = how == "FULL" || how == "LEFT SEMI"
      val cuts = if (restarts && isSoak) 4 else 2
      assert(joined(queryOf(how, n), l, r, cuts, restarts).sorted == expected)
    }

  test("the checkpoint holds the last rows of each key, whichever key has new ones") {
    val run = new Running("SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON " +
      "within_rows(l.ts, r.ts, 3, l.k, r.k) AND l.x > r.x").start()
    try {
      run.add(Seq(Event(1000L, 7, 1, 1L)), Seq(Event(1000L, 7, 1, 2L)))
      for (i <- 1 to 3) {
        val rows = Seq.tabulate(5)(j => Event(i * 10000L + j, 1, 1, 10L * i + j))
        run.add(rows, rows)
      }
      // Nothing but the watermark comes last.
      run.add(Seq(Event(900000L, 8, 1, 100L)), Seq(Event(900000L, 8, 1, 101L)))
      run.stop()
      def held(side: String) =
        StateReader.read(spark, run.checkpoint.toString, side, 0).select("id").collect()
          .map(_.getLong(0)).toSeq.sorted
      assert(held("left") == Seq(1L, 32L, 33L, 34L, 100L))
      assert(held("right") == Seq(2L, 32L, 33L, 34L, 101L))
    } finally {
      run.stop()
      ()
    }
  }

  test("the rows come in one order, however they are cut into batches") {
    val (l, r) = (events(31, 60), events(32, 60))
    withSettings("spark.sql.shuffle.partitions" -> "1") {
      val one = joined(queryOf("FULL", "2"), l, r, 1, restarts = false)
      val cuts = if (isSoak) 5 else 3
      assert(one.nonEmpty && joined(queryOf("FULL", "2"), l, r, cuts, restarts = false) == one)
    }
  }

  test("numbers that are the same and texts that a collation takes for the same are one key") {
    val rows = Seq(at(1, 1, x = 0), at(2, 2, x = 0))
    for (
      key <- Seq(
        "if(%1$s.id = 1, -0.0D, CAST(%1$s.x AS DOUBLE))",
        "if(%1$s.id = 1, 'x0', 'X' || %1$s.x) COLLATE UTF8_LCASE"
      )
    ) {
      val run = new Running("SELECT l.id AS a, r.id AS b FROM l JOIN r ON " +
        s"within_rows(l.ts, r.ts, 1, ${key.format("l")}, ${key.format("r")})").start()
      try {
        run.add(rows, rows.map(e => e.copy(ts = new Timestamp(e.ts.getTime + 100))))
        run.add(Seq(at(100, 3)), Seq(at(100, 4)))
        assert(run.all.filterNot(_.contains("3")) == Seq("[1,1]", "[2,1]", "[2,2]"), key)
      } finally run.stop()
    }
  }

  test("EXPLAIN names the keys, the window and whose rows count") {
    val run = new Running(queryOf("LEFT", "9")).start()
    try {
      val text = run.add(Seq(at(10, 1)), Seq(at(10, 2))).explained
      assert(text.contains("keys: l.k = r.k"))
      assert(text.contains("window: last 9 rows of the key by l.ts, r.ts"))
      assert(text.contains("algorithm: each key's last rows, in order"))
    } finally {
      run.stop()
      ()
    }
  }

  test(
    "a checkpoint of a window over all rows is refused by one of each key's, and by other keys"
  ) {
    val queries = Seq(
      "within_rows(l.ts, r.ts, 3)",
      "within_rows(l.ts, r.ts, 3, l.k, r.k)",
      "within_rows(l.ts, r.ts, 3, l.x, r.x)"
    ).map(w => s"SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON $w AND l.k + l.x = r.k + r.x")
    for (
      (was, is, expected) <-
        Seq((0, 1, "counted was [none] and is [per key]"), (1, 2, "keys was ["))
    ) {
      val first = new Running(queries(was)).start()
      first.add(Seq(at(10, 1)), Seq(at(10, 2))).stop()
      val second = new Running(queries(is), checkpoint = first.checkpoint).takes(first).start()
      val message = second.fails(Seq(at(20, 3)), Seq(at(20, 4))).getMessage
      assert(message.contains(expected), message)
    }
  }

  test("keys of one side alone are refused, with what to give") {
    val message = intercept[IllegalArgumentException](
      new Running("SELECT * FROM l JOIN r ON within_rows(l.ts, r.ts, 5, l.k, l.x)").start()
    ).getMessage
    assert(message.contains("one has to be of the left input and one of the right"))
  }
}
