package io.scalegate.spark

import io.scalegate.spark.join.aggregate.IntervalAggregateExec
import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.tags.Faults
import io.scalegate.{BoundedWait, Sample}

/** More rows in a window than the task has memory for. With `SCALEGATE_SOAK` each way to run a join is tried with all join
  * types that it treats otherwise; else with some, so that each type comes up.
  */
@Faults
final class MemorySuite extends SparkJoinSuite {
  override protected def settings: Map[String, String] =
    Map(
      "spark.testing.memory" -> (40L << 20).toString,
      "spark.testing.reservedMemory" -> "0",
      "spark.sql.autoBroadcastJoinThreshold" -> "-1"
    )

  private val Large = "repeat(char(97 + id % 26), 130000)"

  /** Many times what a task's memory holds, all of one key. */
  private def hot(pad: String) =
    s"SELECT id div 1000 AS k, id, char(97 + id % 26) AS c, if(id % 50 = 7, NULL, id) AS t, $pad AS pad " +
      "FROM range(0, 300, 1, 2)"
  private val wide = hot(Large)
  private val narrow = hot("char(97 + id % 26)")

  /** All of a key's rows are in one window; few pairs are given, which are Spark's own of narrow rows. */
  private def hotKey(rows: String, how: String, columns: String, hint: String = "") =
    s"SELECT $hint $columns FROM ($rows) a $how JOIN ($rows) b ON a.k = b.k AND abs(a.t - b.t) <= 100000 " +
      "AND (a.id * 31 + b.id) % 97 = 0 AND substr(a.pad, 1, 1) >= substr(b.pad, 1, 1)"

  private def assertSpilled(how: String, columns: String, counter: String, hint: String = "") =
    withSettings("spark.sql.adaptive.enabled" -> "false") {
      val expected = plainSpark(rowsOf(spark.sql(hotKey(narrow, how, columns))))
      val df = spark.sql(hotKey(wide, how, columns, hint))
      assert(rowsOf(df) == expected, how)
      assert(windowJoins(df).head.metrics(counter).value > 0, how)
    }

  for (how <- Sample.some(Seq("", "RIGHT", "LEFT ANTI", "LEFT SEMI"), 3))
    test(s"a window that does not fit is kept on disk, and the rows are the same: $how JOIN") {
      val columns = if (how.startsWith("LEFT ")) "a.id, a.c" else "a.id, b.id, a.c"
      assertSpilled(how, columns, "spilledKeys")
    }

  test("windows that do not fit stand between others that do") {
    def keys(pad: String) = s"SELECT if(id < 300, 5, id % 10) AS k, id, $pad AS pad " +
      "FROM range(0, 360, 1, 2)"
    def query(pad: String) =
      s"SELECT a.id, b.id FROM (${keys(pad)}) a LEFT JOIN (${keys(pad)}) b ON a.k = b.k " +
        "AND abs(a.id - b.id) <= 100000 AND (a.id * 31 + b.id) % 97 = 0 AND substr(a.pad, 1, 1) <> substr(b.pad, 1, 1)"
    val expected = plainSpark(rowsOf(spark.sql(query("char(97 + id % 26)"))))
    val df = spark.sql(query(Large))
    assert(rowsOf(df) == expected)
    val spilled = windowJoins(df).head.metrics("spilledKeys").value
    assert(spilled >= 1 && spilled < 10)
  }

  test("a full join whose index does not fit is run in two passes, and the rows are the same") {
    assertSpilled("FULL", "a.id, b.id, a.c", "sortedTasks", "/*+ WINDOW_JOIN('index') */")
  }

  test(
    "a full join of intervals that do not fit is run in two passes, and the rows are the same"
  ) {
    def query(pad: String, hint: String) =
      s"SELECT $hint a.id, b.id FROM (${hot(pad)}) a FULL JOIN (${hot(pad)}) b ON a.k = b.k AND " +
        "a.t BETWEEN b.t AND b.t + b.id % 3 AND substr(a.pad, 1, 1) >= substr(b.pad, 1, 1)"
    val expected = plainSpark(rowsOf(spark.sql(query("char(97 + id % 26)", ""))))
    val df = spark.sql(query(Large, "/*+ WINDOW_JOIN('index') */"))
    withSettings("spark.sql.adaptive.enabled" -> "false")(assert(rowsOf(df) == expected))
    assert(windowJoins(df).head.metrics("spilledTasks").value > 0)
  }

  test("a broadcast side whose index does not fit is read for each block of the other's rows") {
    val probes = (0 until 90).map(i => if (i % 10 == 3) None else Some(i * 5000L))
    def matches(id: Long) = (id - 1 to id + 1).filter(b => b >= 0 && b % 3 != 1)
    val (unmatched, matched) = probes.partition(_.forall(matches(_).isEmpty))
    val pairs = matched.flatten.flatMap(a => matches(a).map(b => s"[$a,$b]"))
    def text(id: Option[Long], more: String) = s"[${id.getOrElse("null")}$more]"
    for {
      (how, columns, expected) <- Sample.some(
        Seq(
          ("LEFT", "a.id, b.id", pairs ++ unmatched.map(text(_, ",null"))),
          ("LEFT SEMI", "a.id", matched.map(text(_, ""))),
          ("LEFT ANTI", "a.id", unmatched.map(text(_, "")))
        ),
        2
      )
    } {
      val df = spark.sql(
        s"SELECT /*+ WINDOW_JOIN('broadcast') */ $columns FROM (SELECT if(id % 10 = 3, NULL, id * 5000) AS id " +
          s"FROM range(0, 90, 1, 2)) a $how JOIN range(0, 500000) b " +
          "ON b.id BETWEEN a.id - 1 AND a.id + 1 AND (b.id + a.id - a.id) % 3 <> 1"
      )
      assert(rowsOf(df) == expected.sorted, how)
      assert(windowJoins(df).head.metrics("blockTasks").value > 0, how)
    }
  }

  test("a broadcast side that is too large to be copied is indexed where it lies") {
    val df = spark.sql(
      "SELECT /*+ WINDOW_JOIN('broadcast') */ a.id, b.id, length(b.pad) FROM range(0, 900) a LEFT JOIN " +
        "(SELECT id * 7 AS id, repeat(char(97 + id % 3), 900 + id % 2) AS pad FROM range(0, 30000)) b " +
        "ON abs(a.id - b.id) <= 1"
    )
    val expected = (0 until 900).map { a =>
      (a - 1 to a + 1).find(_ % 7 == 0).fold(s"[$a,null,null]")(b =>
        s"[$a,$b,${900 + b / 7 % 2}]"
      )
    }
    assert(rowsOf(df) == expected.sorted)
    assert(windowJoins(df).head.metrics("blockTasks").value == 0)
  }

  for (
    (marker, i) <-
      Seq("asof(a.t, b.t, '%s', NULL, false, b.id)", "nearest(a.t, b.t, 3, 40, '%s')").zipWithIndex
  )
    test(s"the nearest rows are found in a part of the right side at a time: $marker") {
      def query(pad: String, direction: String, how: String) = {
        val columns = if (how.startsWith("LEFT ")) "a.id" else "a.id, b.id, b.c"
        s"SELECT $columns FROM (${hot("'p'")}) a $how JOIN (${hot(pad)}) b ON a.k = b.k AND " +
          s"${marker.format(direction)} AND (a.id * 31 + b.id) % 7 > 2 AND substr(a.pad, 1, 1) >= substr(b.pad, 1, 1)"
      }
      for {
        (direction, j) <- Seq("backward", "forward", "nearest").zipWithIndex
        if Sample.isSoak || (i + j) % 2 == 0
        how <- Sample.turn(Seq("LEFT", "LEFT SEMI", "LEFT ANTI"), j)
      } withSettings("spark.sql.adaptive.enabled" -> "false") {
        val expected = rowsOf(spark.sql(query("char(97 + id % 26)", direction, how)))
        assert(expected.size > 5)
        val df = spark.sql(query(Large, direction, how))
        assert(rowsOf(df) == expected, s"$direction $how")
        assert(windowJoins(df).head.metrics("spilledTasks").value > 0)
        assert(windowJoins(df).head.metrics("numOutputRows").value == expected.size.toLong)
      }
    }

  for (
    (what, hint, condition, types) <- Seq(
      (
        "the nearest rows",
        "",
        "nearest(a.t, b.t, 3, 40, 'nearest')",
        Seq("LEFT", "LEFT ANTI", "LEFT SEMI", "")
      ),
      (
        "intervals",
        "/*+ WINDOW_JOIN('index') */",
        "a.t BETWEEN b.t AND b.t + b.id % 3",
        Seq("FULL", "LEFT SEMI", "", "LEFT", "LEFT ANTI")
      )
    )
  )
    test(s"of many keys, a task joins what fits at a time: $what") {
      // Half of the rows have one key, and there are rows without.
      def keys(pad: String) = "SELECT if(id % 2 = 0, 5, nullif(id % 40, 3)) AS k, id, " +
        s"if(id % 50 = 7, NULL, id) AS t, char(97 + id % 26) AS c, $pad AS pad FROM range(0, 300, 1, 2)"
      def query(pad: String, how: String) =
        s"SELECT ${if (how.startsWith("LEFT ")) "a.id" else "a.id, b.id, b.c"} FROM (${keys(pad)}) a " +
          s"$how JOIN (${keys(pad)}) b ON a.k = b.k AND $condition AND substr(a.pad, 1, 1) >= substr(b.pad, 1, 1)"
      for (how <- Sample.some(types, if (what == "intervals") 3 else 2))
        withSettings(
          "spark.sql.adaptive.enabled" -> "false",
          "spark.sql.shuffle.partitions" -> "1"
        ) {
          val expected = rowsOf(spark.sql(query("char(97 + id % 26)", how)))
          assert(expected.size > 5)
          val df = spark.sql(query(Large, how).replaceFirst("SELECT", s"SELECT $hint"))
          assert(rowsOf(df) == expected, how)
          val metrics = windowJoins(df).head.metrics
          assert(metrics("spilledTasks").value == 1, how)
          assert(metrics("rowsKept").value > 0, "some buckets are indexed")
        }
    }

  test("keys that are equal in other letters meet where a task joins what fits at a time") {
    def rows(pad: String, letters: String) =
      s"SELECT $letters(char(97 + id % 11)) COLLATE UTF8_LCASE AS k, id, $pad AS pad FROM range(0, 300, 1, 2)"
    def query(pad: String) =
      s"SELECT /*+ WINDOW_JOIN('index') */ a.id, b.id FROM (${rows(pad, "lower")}) a JOIN (${rows(pad, "upper")}) b " +
        "ON a.k = b.k AND a.id BETWEEN b.id AND b.id + b.id % 50 AND substr(a.pad, 1, 1) >= substr(b.pad, 1, 1)"
    val expected = plainSpark(rowsOf(spark.sql(query("char(97 + id % 26)"))))
    assert(expected.size > 300)
    withSettings("spark.sql.adaptive.enabled" -> "false") {
      val df = spark.sql(query(Large))
      assert(rowsOf(df) == expected)
      assert(windowJoins(df).head.metrics("spilledTasks").value > 0)
    }
  }

  test("the nearest rows of a broadcast side whose index does not fit are found in parts") {
    def query(rows: String) =
      s"SELECT /*+ BROADCAST(b) */ a.id, b.id FROM (SELECT id * 5000 + 1 AS id FROM range(0, 90, 1, 2)) a LEFT JOIN ($rows) b " +
        "ON asof(a.id, b.id, 'forward', 3) AND length(b.pad) > 1"
    val df =
      spark.sql(query("SELECT id, repeat('x', 2) AS pad FROM range(0, 1500000) WHERE id % 3 = 0"))
    val found = (0 until 90).map(_ * 5000L + 1).map { id =>
      val at = (id + 2) / 3 * 3
      s"[$id,$at]"
    }
    assert(rowsOf(df) == found.sorted)
    assert(windowJoins(df).head.nodeName == "BroadcastWindowJoin")
    assert(windowJoins(df).head.metrics("blockTasks").value > 0)
  }

  test("rows of a window that counts them end the query with an error that says what to change") {
    for (counted <- Seq("1", "a.id div 1000000000, b.id div 1000000000")) {
      val e = intercept[Exception] {
        spark.sql(s"SELECT count(*), max(a.pad), max(b.pad) FROM ($wide) a JOIN ($wide) b " +
          s"ON within_rows(a.id, b.id, 1000, $counted)").collect()
      }
      val messages = causes(e).map(_.getMessage)
      assert(
        messages.exists(_.contains("the rows of one window do not fit in the task's memory"))
      )
    }
  }

  private def around(functions: String, rows: String, width: Int) =
    s"SELECT o.id, a.* FROM ($narrow) o, LATERAL (SELECT $functions FROM ($rows) q WHERE q.k = o.k AND " +
      s"q.t BETWEEN o.t - $width AND o.t + 3) a"

  test("rows around a row that do not fit are kept on disk, and the aggregates are the same") {
    for (width <- Sample.some(Seq(100000, 40), 1)) {
      val functions = "count(q.pad) AS n, sum(q.t) AS t, array_sort(collect_list(q.c)) AS c"
      val expected = plainSpark(rowsOf(spark.sql(around(functions, narrow, width))))
      val df = spark.sql(around(functions, wide, width))
      assert(rowsOf(df) == expected)
      val aggregate = collect(executed(df)) { case a: IntervalAggregateExec => a }.head
      assert(aggregate.metrics("spilledBlocks").value > 0 || width == 40)
    }
  }

  test("rows that one interval has come to and another has not are kept on disk") {
    def query(rows: String) = {
      def of(from: Int, to: Int) =
        s"LATERAL (SELECT count(q.pad) AS n, sum(q.t) AS s FROM ($rows) q WHERE q.k = o.k AND " +
          s"q.t BETWEEN o.t + $from AND o.t + $to)"
      s"SELECT o.id, a.*, b.*, c.* FROM ($narrow) o, ${of(-3, 0)} a, ${of(200, 203)} b, ${of(100, 101)} c"
    }
    val expected = plainSpark(rowsOf(spark.sql(query(narrow))))
    // One task has all of the key.
    withSettings(ScaleGateConf.HotKeyTheta -> "100") {
      val df = spark.sql(query(wide))
      assert(rowsOf(df) == expected)
      val aggregate = collect(executed(df)) { case a: IntervalAggregateExec => a }.head
      assert(aggregate.terms.intervals.size == 3 && aggregate.metrics("spilledBlocks").value > 0)
    }
  }

  test("aggregates that do not fit end the query with an error that says what to change") {
    val e = intercept[Exception](
      spark.sql(around("length(array_join(collect_list(q.pad), '')) AS n", wide, 1000)).collect()
    )
    assert(causes(e).map(_.getMessage).exists(_.contains("do not fit in the task's memory")))
  }

  test("more rows than memory in all, with windows that fit, are joined") {
    val wide = "SELECT id, repeat(char(97 + id % 26), 1000) AS pad FROM range(0, 60000, 1, 2)"
    val df = spark.sql(
      s"SELECT count(a.pad) FROM ($wide) a JOIN ($wide) b ON abs(a.id - b.id) <= 1"
    )
    assert(df.head().getLong(0) == 3 * 60000 - 2)
  }

  test("a matrix's cell that does not fit is read from disk, and the rows are the same") {
    val wide = "SELECT id, repeat(char(97 + id % 26), 1000) AS pad FROM range(0, 60000, 1, 2)"
    // By its statistics, which do not see the filter, the side with few rows is the larger one.
    val few = "SELECT id FROM range(0, 400000, 1, 1) WHERE id % 15000 = 0"
    for {
      (joinType, rows) <-
        Sample.some(
          Seq("LEFT" -> (149996 + 23), "LEFT SEMI" -> 4, "" -> 149996, "LEFT ANTI" -> 23),
          1
        )
    } {
      val df = spark.sql(
        s"SELECT /*+ WINDOW_JOIN('matrix', '2x1') */ a.id FROM ($few) a $joinType JOIN ($wide) b " +
          "ON a.id < b.id AND b.pad > cast(a.id AS STRING)"
      )
      assert(df.collect().length == rows)
      assert(windowJoins(df).head.metrics("spilledTasks").value == 2)
    }
  }

  test("intervals that do not fit are read from disk, and the rows are the same") {
    val wide = "SELECT id, id % 3 AS k, repeat(char(97 + id % 26), 1000) AS pad " +
      "FROM range(0, 60000, 1, 2)"
    val few = "SELECT id, id % 3 AS k FROM range(0, 400000, 1, 1) WHERE id % 15000 = 0"
    for ((joinType, rows) <- Sample.some(Seq("" -> 4, "LEFT ANTI" -> 23, "LEFT" -> 27), 2)) {
      val df = spark.sql(
        s"SELECT /*+ WINDOW_JOIN('index') */ a.id FROM ($few) a $joinType JOIN ($wide) b " +
          "ON a.k = b.k AND a.id BETWEEN b.id AND b.id + b.k AND b.pad > cast(a.id AS STRING)"
      )
      // Once it has seen the rows, adaptive execution would hold the few.
      withSettings("spark.sql.adaptive.enabled" -> "false")(assert(df.collect().length == rows))
      val metrics = windowJoins(df).head.metrics
      assert(metrics("spilledTasks").value > 0)
      // They are looked up, and not compared with all.
      assert(metrics("comparisons").value < 60000)
    }
  }

  test("an index that does not fit gives way to a sort, and the rows are the same") {
    val wide = "SELECT id, id % 3 AS k, if(id % 50 = 0, NULL, id) AS t, " +
      "repeat(char(97 + id % 26), 1000) AS pad FROM range(0, 30000, 1, 2)"
    val wanted = Seq("LEFT" -> 30000, "LEFT ANTI" -> 600, "" -> 29400)
    for ((joinType, rows) <- Sample.some(wanted, 1)) {
      val df = spark.sql(
        s"SELECT /*+ WINDOW_JOIN('index') */ a.pad FROM ($wide) a $joinType JOIN ($wide) b " +
          "ON a.k = b.k AND abs(a.t - b.t) <= 1 AND a.pad <> concat(b.pad, 'x')"
      )
      assert(df.collect().length == rows)
      assert(windowJoins(df).head.metrics("sortedTasks").value > 0)
    }
  }

  private val endless = Seq(
    "blocks that are compared whole" -> ("SELECT /*+ WINDOW_JOIN('matrix', '1x1') */ count(*) FROM " +
      "(SELECT id, repeat(char(97 + id % 26), 1000) AS pad FROM range(0, 60000, 1, 2)) a JOIN " +
      "(SELECT id, repeat(char(97 + id % 26), 1000) AS pad FROM range(0, 60000, 1, 2)) b ON never(a.id, b.id) AND a.pad > b.pad"),
    "a probe with many candidates" -> ("SELECT /*+ WINDOW_JOIN('index') */ count(*) FROM " +
      "range(0, 90000, 1, 2) a JOIN range(0, 90000, 1, 2) b ON abs(a.id - b.id) < 100000 AND never(a.id, b.id)")
  )

  for ((what, query) <- endless)
    test(s"a task that is killed ends though it gives no rows: $what") {
      val context = spark.sparkContext
      spark.udf.register("never", (_: Long, _: Long) => { MemorySuite.calls.increment(); false })
      MemorySuite.calls.reset()
      val running = new Thread(() => {
        context.setJobGroup("endless", what, interruptOnCancel = false)
        try spark.sql(query).collect(): Unit
        catch { case _: Exception => () }
      })
      running.start()
      assert(BoundedWait.holds(MemorySuite.calls.sum > 0))
      context.cancelJobGroup("endless")
      running.join()
      def tasks = context.statusTracker.getExecutorInfos.map(_.numRunningTasks()).sum
      assert(BoundedWait.holds(tasks == 0))
    }
}

private object MemorySuite {
  val calls = new java.util.concurrent.atomic.LongAdder
}
