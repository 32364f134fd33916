package io.scalegate.spark.join.stream

import java.nio.file.Files
import java.sql.Timestamp

import scala.util.Random

import org.apache.spark.sql.DataFrame

import io.scalegate.Sample
import io.scalegate.spark.SparkFeature
import io.scalegate.spark.settings.ScaleGateConf

/** What streaming joins give, held against their definition: the batch join of all rows that were not too late. With
  * rows that are late, NULLs among the keys, watermarks that differ, and other stateful operators below and above. With
  * `SCALEGATE_SOAK` each of these stands with all others; otherwise with some, by turns.
  */
final class StreamingDefinitionSuite extends StreamingJoinSuite {
  private val within = "r.ts BETWEEN l.ts - INTERVAL 2 SECONDS AND l.ts + INTERVAL 1 SECOND"
  private val types = Seq("LEFT", "FULL", "LEFT SEMI") ++
    (if (isSoak) Seq("INNER", "RIGHT", "LEFT ANTI") else Nil)
  private val random = new Random(seeded(8L))
  private val Several = if (isSoak) 4 else 2

  /** @param late
    *   by how much a row may be behind, in milliseconds
    */
  private def events(batches: Int, side: Int, late: Int) = Seq.tabulate(batches) { b =>
    Seq.tabulate(12) { i =>
      val at = 20000L + 2000 * b + random.nextInt(2000) -
        (if (random.nextInt(4) == 0) random.nextInt(late) else 0)
      val key = Option.when(random.nextInt(6) > 0)(random.nextInt(3))
      val time = if (random.nextInt(25) == 0) null else new Timestamp(at)
      Event(time, key, Some(random.nextInt(8)), 1000L * b + 100 * side + i)
    }
  }

  private val ends = Sample.some(Seq(1000, 2000, 3000), 2)
    .map(time => Seq(at(time.toDouble, -1, x = -100)))

  /** Not of the rows at the end, nor of their windows. */
  private def isReal(row: String) = !row.contains("-1]") && !row.contains("-1,") &&
    !Seq("00:16:", "00:33:", "00:50:").exists(row.contains)

  private def withLate(batches: Seq[Seq[Event]], id: Long) =
    batches.init :+ (batches.last :+ at(1, id))

  private def columns(how: String) =
    if (how.endsWith("SEMI") || how.endsWith("ANTI")) "l.id AS a" else "l.id AS a, r.id AS b"

  /** Runs a join that keeps its late rows, and gives what it gave beside what it is defined to give. */
  private def againstDefinition(
      how: String,
      on: String,
      delays: (String, String) = ("2 SECONDS", "2 SECONDS")
  ) = {
    // What is late is so by the watermark of the batch before, which has one after the first.
    val several = math.max(Several, 3)
    val (ls, rs) =
      (withLate(events(several, 0, 6000), -2L), withLate(events(several, 1, 6000), -3L))
    val query = s"SELECT ${columns(how)} FROM l $how JOIN r ON $on"
    def views(): Unit = for ((side, delay) <- Seq("l" -> delays._1, "r" -> delays._2))
      spark.table(side).withWatermark("ts", delay).createOrReplaceTempView(side)
    val directory = newDirectory().resolve("late")
    withSettings(ScaleGateConf.LateRows -> directory.toString) {
      val run = new Running(query, watermarks = false, views = () => views()).start()
      try {
        ls.lazyZip(rs).foreach((l, r) => run.add(l, r))
        ends.foreach(e => run.add(e, e))
        assert(run.operator == "windowJoin")
        val late =
          if (!Files.exists(directory)) Map.empty[String, Set[Long]]
          else
            spark.read.json(directory.toString).select("side", "id").collect().toSeq
              .groupMap(_.getString(0))(_.getLong(1)).view.mapValues(_.toSet).toMap
        assert(late.values.map(_.size).sum == run.dropped)
        def inTime(side: String, batches: Seq[Seq[Event]]) =
          batches.flatten.filterNot(e => late.getOrElse(side, Set.empty[Long]).contains(e.id))
        val expected = batchResult(query, inTime("left", ls), inTime("right", rs))
        (run.all.filter(isReal), expected, run.dropped, (ls, rs, query))
      } finally run.stop()
    }
  }

  for (how <- types)
    test(
      s"$how join with late rows and NULL keys: the batch join of the rows that were in time"
    ) {
      val (got, expected, dropped, (ls, rs, query)) =
        againstDefinition(how, s"l.k = r.k AND $within AND l.id + r.id >= 0")
      assert(got == expected && dropped > 0)
      // What Spark's own join makes of the same. To an inner join it gives batches without data, so that more is late
      // there.
      if (isSoak && how != "LEFT ANTI") plainSpark {
        val run = new Running(query, delay = "2 seconds").start()
        try {
          ls.lazyZip(rs).foreach((l, r) => run.add(l, r))
          ends.foreach(e => run.add(e, e))
          val sparks = run.all.filter(isReal)
          val (more, less) = (sparks.diff(expected).size, expected.diff(sparks).size)
          info(
            s"Spark's own join gives $more rows that are not the definition's, and lacks $less"
          )
        } finally run.stop()
      }
    }

  for {
    (how, policy, delays) <- Seq(
      ("LEFT", "min", "1 SECOND" -> "7 SECONDS"),
      ("FULL", "max", "8 SECONDS" -> "0 SECONDS"),
      ("LEFT", "max", "1 SECOND" -> "7 SECONDS"),
      ("FULL", "min", "8 SECONDS" -> "0 SECONDS")
    ).take(if (isSoak) 4 else 2)
  }
    test(s"$how join of streams with other delays, the watermark the $policy of both") {
      withSettings("spark.sql.streaming.multipleWatermarkPolicy" -> policy) {
        val (got, expected, _, _) =
          againstDefinition(how, s"abs(l.x - r.x) <= 1 AND $within", delays)
        assert(got == expected)
      }
    }

  /** In time, all of them. */
  private def inTime = (events(Several, 0, 1500), events(Several, 1, 1500))

  private def assertDefined(query: String, operators: Int, views: () => Unit = () => ()): Unit = {
    val (ls, rs) = inTime
    val run = new Running(query, delay = "4 seconds", views = views).start()
    try {
      ls.lazyZip(rs).foreach((l, r) => run.add(l, r))
      run.stop().start()
      ends.foreach(e => run.add(e, e))
      assert(
        run.operators.size == operators && run.operators.contains("windowJoin"),
        run.operators
      )
      assert(run.dropped == 0, query)
      val got = run.all.filter(isReal)
      batchResult("SELECT 1", ls.flatten, rs.flatten)
      views()
      assert(got == plainSpark(rowsOf(spark.sql(query))) && got.nonEmpty, query)
    } finally run.stop()
  }

  private val counted =
    "(SELECT window_time(window) AS t, k, n FROM (SELECT window(ts, SIZES), k, count(*) AS n " +
      "FROM l GROUP BY window(ts, SIZES), k))"

  for {
    (windows, sizes) <-
      Seq("windows" -> "'2 seconds'", "sliding windows" -> "'4 seconds', '1 second'")
    how <- Seq("LEFT", "FULL")
    if isSoak || (how == "FULL") == (windows == "windows")
  }
    test(s"$how join of $windows of a stream with another stream") {
      assertDefined(
        s"SELECT a.t, a.k, a.n, r.id FROM ${counted.replace("SIZES", sizes)} a $how JOIN r ON a.k = r.k AND " +
          "r.ts BETWEEN a.t - INTERVAL 3 SECONDS AND a.t + INTERVAL 1 SECOND",
        operators = 2
      )
    }

  test("an outer join of an outer join, whose rows come when the watermark has passed them") {
    assertDefined(
      "SELECT a.a, a.b, r.id AS c FROM (SELECT l.ts, l.id AS a, r.id AS b, l.x FROM l LEFT JOIN r ON l.k = r.k AND " +
        s"$within) a LEFT JOIN r ON abs(a.x - r.x) <= 1 AND r.ts BETWEEN a.ts AND a.ts + INTERVAL 1 SECOND",
      operators = 2
    )
  }

  test("an outer join of a stream without its duplicates") {
    assertDefined(
      s"SELECT l.id, r.id AS b FROM l FULL JOIN r ON l.k = r.k AND $within",
      operators = 2,
      () => {
        val twice = spark.table("l").unionAll(spark.table("l"))
        twice.dropDuplicates("ts", "id").createOrReplaceTempView("l")
      }
    )
  }

  if (isSoak) test("an outer join of a union with a watermark") {
    assertDefined(
      s"SELECT l.id, r.id AS b FROM (SELECT * FROM l UNION ALL SELECT ts, k, x, id + 100000 FROM l) l FULL JOIN r " +
        s"ON l.k = r.k AND $within",
      operators = 1
    )
  }

  test("windows over an outer join close when no row of theirs can come any more") {
    assertDefined(
      "SELECT window(ts, '2 seconds').start AS w, count(*) AS n, count(b) AS m FROM (SELECT l.ts, r.id AS b FROM l " +
        s"LEFT JOIN r ON abs(l.x - r.x) <= 1 AND $within WHERE l.ts IS NOT NULL) GROUP BY window(ts, '2 seconds')",
      operators = 2
    )
  }

  /** Batch by batch what Spark's own join gives there. */
  for (
    (above, query) <- Seq(
      (
        "windows",
        "SELECT window(ts, '2 seconds').start AS w, count(*) AS n FROM (SELECT l.ts FROM l JOIN r " +
          "ON JOINED) GROUP BY window(ts, '2 seconds')"
      ),
      (
        "windows of the other time",
        "SELECT window(ts, '2 seconds').start AS w, count(*) AS n FROM (SELECT " +
          "r.ts FROM l LEFT JOIN r ON JOINED) GROUP BY window(ts, '2 seconds')"
      )
    ) if isSoak || above != "windows"
  )
    test(s"$above over a join of streams: in each batch what Spark gives over its own join") {
      val (ls, rs) = (events(Several, 0, 3000), events(Several, 1, 3000))
      def run() =
        new Running(query.replace("JOINED", s"l.k = r.k AND $within"), delay = "2 seconds")
      val (ours, sparks) = (run(), run())
      try {
        ours.start()
        plainSpark(sparks.start())
        for (((l, r), i) <- (ls.zip(rs) ++ ends.map(e => (e, e))).zipWithIndex) {
          ours.add(l, r)
          sparks.add(l, r)
          assert(ours.fresh() == sparks.fresh(), s"batch $i of $query")
        }
        assert(ours.operators.contains("windowJoin") && !sparks.operators.contains("windowJoin"))
      } finally {
        ours.stop()
        sparks.stop()
      }
    }

  private val joined =
    s"(SELECT l.ts, l.k, r.x FROM l LEFT JOIN r ON abs(l.x - r.x) <= 1 AND $within WHERE l.ts IS NOT NULL)"
  private val slid =
    "(SELECT window_time(w) AS ts, k, n AS x FROM (SELECT window(ts, '4 seconds', '1 second') AS w, " +
      "k, count(*) AS n FROM l GROUP BY window(ts, '4 seconds', '1 second'), k))"

  private def once(rows: DataFrame) =
    if (rows.isStreaming) rows.dropDuplicatesWithinWatermark() else rows.dropDuplicates()

  for (wholeStage <- Seq("false", "true").take(if (isSoak) 2 else 1)) {
    test(s"the distinct rows of a join of streams; code generated: $wholeStage") {
      withSettings("spark.sql.codegen.wholeStage" -> wholeStage)(
        assertDefined(s"SELECT DISTINCT ts, k, x FROM $joined", operators = 2)
      )
    }

    test(s"the distinct rows of sliding windows of a stream; code generated: $wholeStage") {
      val (ls, _) = inTime
      val query = s"SELECT DISTINCT ts, k, x FROM $slid"
      withSettings("spark.sql.codegen.wholeStage" -> wholeStage) {
        val run = new Running(query, delay = "4 seconds").start()
        try {
          ls.foreach(l => run.add(l, Nil))
          ends.foreach(e => run.add(e, Nil))
          assert(run.operators.toSet == Set("windowAggregate", "stateStoreSave"))
          val got = run.all.filter(isReal)
          assert(got == batchResult(query, ls.flatten, Nil) && got.nonEmpty)
        } finally run.stop()
      }
    }
  }

  private val drops: Seq[(String, DataFrame => DataFrame)] = Seq(
    "whole rows, once each within the watermark" -> (once(_)),
    "whole rows, once each" -> (_.dropDuplicates()),
    "a time and a key, once each" -> (_.select("ts", "k").dropDuplicates("ts", "k"))
  )

  for ((what, drop) <- drops.take(if (isSoak) 3 else 1))
    test(s"a join of streams without its duplicates: $what") {
      assertDefined(
        "SELECT * FROM few",
        operators = 2,
        () => drop(spark.sql(s"SELECT * FROM $joined")).createOrReplaceTempView("few")
      )
    }

  test("a limit over a join of streams: as many rows of it, once, and the join goes on") {
    val query = s"SELECT l.id AS a, r.id AS b FROM l JOIN r ON l.k = r.k AND $within LIMIT 7"
    val run = new Running(query, delay = "100 seconds").start()
    try {
      val rows = Seq(at(10, 1), at(10, 2))
      run.add(rows, rows)
      assert(run.all.size == 4)
      run.stop().start().add(rows, rows)
      assert(run.all.size == 7)
      run.add(rows, rows).stop().start().add(rows, rows)
      assert(run.all.size == 7 && run.stateOf("windowJoin") == 16)
    } finally run.stop()
  }

  private val twoSeconds =
    "SELECT l.id AS a, r.id AS b, l.k AS k FROM l LEFT JOIN r ON l.k = r.k AND r.ts BETWEEN l.ts AND l.ts + INTERVAL 2 SECONDS"
  private val bySecond =
    "SELECT count(*) AS a, 0L AS b, k FROM l GROUP BY window(ts, '4 seconds', '1 second'), k"

  for {
    ((above, whole), i) <- Seq(
      "a limit on a union" -> "SELECT * FROM (QUERY) UNION ALL SELECT id, id, k FROM r LIMIT 3",
      "a sort-merge join with a table that has no rows" ->
        "SELECT /*+ MERGE(n) */ q.* FROM (QUERY) q JOIN nothing n ON n.k = q.k",
      "a broadcast of a table that has no rows" ->
        "SELECT /*+ BROADCAST(n) */ q.* FROM (QUERY) q JOIN nothing n ON n.k = q.k"
    ).zipWithIndex
    (what, query) <- Sample.turn(Seq("a join" -> twoSeconds, "windows" -> bySecond), i)
  } test(s"the state goes on where $above reads only some of the rows of $what") {
    withSettings("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
      val nothing = newDirectory().resolve("nothing").toString
      spark.sql("SELECT cast(id AS INT) AS k FROM range(4) WHERE id > 9").write.parquet(nothing)
      val run = new Running(
        whole.replace("QUERY", query),
        views =
          () => spark.read.schema("k INT").parquet(nothing).createOrReplaceTempView("nothing")
      ).start()
      try {
        for (i <- 0 until (if (isSoak) 4 else 3)) {
          val rows = (1 to 8).map(n => at(10 * i + n, n.toLong))
          run.add(rows, rows)
        }
        run.stop().start()
        run.add(Seq(at(90, 1)), Seq(at(90, 1)))
        succeed
      } finally run.stop()
    }
  }

  test("rows that an operator below may give again are refused below a join") {
    val query =
      s"SELECT a.n, r.id FROM ${counted.replace("SIZES", "'2 seconds'")} a JOIN r ON r.ts BETWEEN a.t AND " +
        "a.t + INTERVAL 1 SECOND AND a.k < r.k"
    val message = intercept[Exception](new Running(query, mode = "update").start()).getMessage
    assert(
      message.contains("would be joined once for each time") && message.contains("append"),
      message
    )
  }

  private def renamed(side: String) =
    s"(SELECT x.a AS id, x.b AS k, x.c AS x, x.at AS ts FROM (SELECT id AS a, k AS b, x AS c, ts AS at FROM $side) x)"

  for {
    ((what, how, on, hint), i) <- Seq(
      ("a window of rows", "JOIN", "within_rows(a.ts, b.ts, 2) AND abs(a.x - b.x) <= 3", ""),
      ("the last rows of a key", "LEFT SEMI JOIN", "within_rows(a.ts, b.ts, 2, a.k, b.k)", ""),
      (
        "a band",
        "FULL JOIN",
        "abs(a.x - b.x) <= 3 AND b.ts BETWEEN a.ts - INTERVAL 2 SECONDS AND a.ts",
        ""
      ),
      (
        "a key and a hint",
        "LEFT ANTI JOIN",
        "a.k = b.k AND b.ts > a.ts AND b.ts < a.ts + INTERVAL 2 SECONDS",
        "/*+ WINDOW_JOIN */"
      )
    ).zipWithIndex
    left <- Sample.turn(Seq("(SELECT x AS k, k AS x, id, ts FROM SIDE)", renamed("SIDE")), i)
  } test(s"a stream joined with itself under other names, $what: $how of $left") {
    val random = new Random(3)
    val rows = (1 to 24).map(i => at(10.0 + i % 8, i % 5, random.nextInt(9)))
    def joined(side: String) = {
      val input = left.replace("SIDE", side)
      val columns = if (how.startsWith("LEFT")) "a.id, a.k, a.x" else "a.id, a.k, b.id, b.x"
      val run = new Running(
        s"SELECT $hint $columns FROM $input a $how (SELECT id + 0 AS id, k, x, ts FROM l) b ON $on"
      ).start()
      try run.add(rows, rows).add(Seq(at(100, 1)), Seq(at(100, 1))).all.sorted
      finally run.stop()
    }
    val expected = joined("r")
    assert(expected.nonEmpty && joined("l") == expected)
  }

  for {
    ((what, left, on), i) <- Seq(
      (
        "renames what the right side leaves",
        "SELECT id, k AS q, x AS p, ts FROM",
        "a.q = b.x AND b.at > a.ts AND b.at < a.ts + INTERVAL 4 SECONDS"
      ),
      (
        "explodes what the right side has",
        "SELECT id, x, n AS p, ts FROM",
        "a.x = b.x AND b.at - a.ts BETWEEN INTERVAL 0 SECONDS AND INTERVAL 1 SECOND AND " +
          "a.id < b.k + (SELECT min(id) FROM range(9))"
      )
    ).zipWithIndex
    how <- Sample.turn(Seq("SEMI", "ANTI"), i)
  } test(s"a $how join of a stream with itself whose left side $what") {
    needs(SparkFeature.SqlWatermark)
    val more = if (left.contains("n AS p")) "LATERAL VIEW explode(array(k, 1)) e AS n" else ""
    val hint = if (more.isEmpty) "/*+ WINDOW_JOIN */" else ""
    def query(other: String) =
      s"SELECT $hint a.id, a.p FROM ($left " +
        s"(SELECT * FROM l WATERMARK ts DELAY OF INTERVAL 0 SECONDS) $more) a LEFT $how JOIN " +
        "(SELECT id + 0 AS id, k, x + 0 AS x, at FROM (SELECT id, k, x, ts + INTERVAL 1 SECOND AS at " +
        s"FROM $other) WATERMARK at DELAY OF INTERVAL 0 SECONDS) b ON $on"
    val rows = (1 to 24).map(i => at(10.0 + i % 8, i % 5, i * 7 % 9))
    def joined(other: String) = {
      val run = new Running(query(other), watermarks = false).start()
      try run.add(rows, rows).add(Seq(at(100, 1)), Seq(at(100, 1))).all.sorted
      finally run.stop()
    }
    val expected = joined("r")
    assert(expected.nonEmpty && joined("l") == expected)
  }

  for (how <- Seq("LEFT SEMI", "LEFT ANTI"))
    test(s"a $how join over distinct rows keeps its place in batches without rows of a stream") {
      val query =
        s"SELECT a.* FROM (SELECT DISTINCT id, k, ts FROM l) a $how JOIN r b ON a.k = b.k " +
          "AND a.ts BETWEEN b.ts - INTERVAL 1 SECOND AND b.ts + INTERVAL 1 SECOND"
      val (left, right) =
        ((1 to 8).map(i => at(10 + i, i % 3)), (1 to 8).map(i => at(12 + i, i % 4)))
      val end = Seq(at(100, 1))
      val run = new Running(query).start()
      val rows =
        try
          run.add(left, Nil).add(left, right.take(4)).add(Nil, right.drop(4)).add(end, end).all.sorted
        finally run.stop()
      val again = new Running(query).start()
      val expected =
        try again.add(left, right).add(end, end).all.sorted
        finally again.stop()
      assert(expected.nonEmpty && rows == expected)
    }

  private val ofRows =
    "SELECT l.id AS a, r.id AS b, l.k, l.ts AS t FROM l JOIN r ON within_rows(l.ts, r.ts, 2) AND l.k = r.k"

  for {
    (what, query) <- Seq(
      "a window of time" -> s"SELECT window(t, '2 seconds') AS w, count(*) AS n FROM ($ofRows) GROUP BY 1",
      "a DISTINCT" -> s"SELECT DISTINCT a, b, t FROM ($ofRows)",
      "a join" -> s"SELECT p.a, q.id FROM ($ofRows) p LEFT JOIN r q ON p.k = q.k AND q.ts BETWEEN p.t - INTERVAL 1 SECOND AND p.t"
    )
  } test(s"$what over the rows of a window of rows would never give a row, and is refused") {
    val message = intercept[Exception](new Running(query).start()).getMessage
    assert(message.contains("would never give a row") && message.contains("within_rows"), message)
  }

  test("what does not wait for a watermark gives its rows over a window of rows") {
    val rows = (1 to 4).map(i => at(10 + i, i))
    def updated(query: String, mode: String, drop: Boolean = false) = {
      val run = new Running(
        query,
        mode = mode,
        views = () =>
          if (drop) spark.sql(ofRows).dropDuplicates("a", "t").createOrReplaceTempView("few")
      ).start()
      try run.add(rows, rows).add(Seq(at(100, 1)), Seq(at(100, 1))).all
      finally run.stop()
    }
    val windows = updated(
      s"SELECT window(t, '1 hour').start AS w, count(*) AS n FROM ($ofRows) GROUP BY 1",
      "update"
    )
    assert(windows.nonEmpty)
    assert(updated("SELECT a, b FROM few", "append", drop = true).nonEmpty)
  }

  test("several stateful operators are refused where Spark has one watermark for all of them") {
    withSettings("spark.sql.streaming.statefulOperator.allowMultiple" -> "false") {
      val query =
        "SELECT window(ts, '2 seconds').start AS w, count(*) AS n FROM (SELECT l.ts FROM l LEFT JOIN r ON " +
          s"abs(l.x - r.x) <= 1 AND $within) GROUP BY window(ts, '2 seconds')"
      val message = intercept[Exception](new Running(query).start()).getMessage
      assert(message.contains("spark.sql.streaming.statefulOperator.allowMultiple"), message)
      val alone = s"SELECT l.id FROM l LEFT JOIN r ON abs(l.x - r.x) <= 1 AND $within"
      val run = new Running(alone).start()
      try assert(run.add(Seq(at(10, 1)), Nil).operator == "windowJoin")
      finally run.stop()
    }
  }
}
