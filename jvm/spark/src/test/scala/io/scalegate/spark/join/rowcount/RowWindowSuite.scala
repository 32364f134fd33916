package io.scalegate.spark.join.rowcount

import java.util.concurrent.CountDownLatch

import scala.collection.mutable

import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.concurrent.Eventually
import org.scalatest.time.{Seconds, Span}

import io.scalegate.spark.settings.{JoinOperator, ScaleGateConf}
import io.scalegate.spark.{SparkJoinSuite, TestTables}
import io.scalegate.{BoundedWait, Sample}

/** Row-count windows against their definition, since plain Spark has none. With `SCALEGATE_SOAK` types of join, times and
  * numbers of rows and threads are all combined; otherwise by turns.
  */
final class RowWindowSuite extends SparkJoinSuite with Eventually {
  private def planned(df: DataFrame): Seq[RowWindowJoinExec] =
    collect(executed(df)) { case w: RowWindowJoinExec => w }

  private type Event = (Long, Int, Row)

  /** All rows in the order of the contract: time, left before right, then the row's columns. */
  private def events(time: String): Seq[Event] = read.getOrElseUpdate(time, readEvents(time))

  private val read = mutable.Map.empty[String, Seq[Event]]

  private def readEvents(time: String): Seq[Event] =
    Seq("r" -> 0, "s" -> 1).flatMap { case (table, side) =>
      val sorted =
        spark.sql(s"SELECT CAST($time AS BIGINT) AS t, * FROM $table WHERE $time IS NOT NULL " +
          s"ORDER BY ${(time +: TestTables.schema.fieldNames).mkString(", ")}")
      sorted.collect().toSeq.map(row => (row.getLong(0), side, row))
    }.sortBy(e => (e._1, e._2))

  /** The pairs that match within the last rows, of the left side and of the right one. */
  private def pairs(time: String, rows: (Int, Int))(
      matches: (Row, Row) => Boolean
  ): Seq[(Row, Row)] = {
    val all = events(time)
    val near = all.indices.flatMap { at =>
      val (_, side, later) = all(at)
      val opposite =
        all.take(at).filter(_._2 != side).takeRight(if (side == 0) rows._2 else rows._1)
      opposite.map(e => if (side == 0) (later, e._3) else (e._3, later))
    }
    near.filter { case (r, s) => matches(r, s) }
  }

  private def idOf(row: Row): Int = row.getAs[Int]("id")

  private def check(condition: String, time: String, n: Int)(matches: (Row, Row) => Boolean) = {
    val df = spark.sql(
      s"SELECT r.id, s.id FROM r JOIN s ON within_rows(r.$time, s.$time, $n) AND $condition"
    )
    val expected =
      pairs(time, (n, n))(matches).map { case (r, s) => s"[${idOf(r)},${idOf(s)}]" }
    assert(rowsOf(df) == expected.sorted)
    assert(planned(df).size == 1)
  }

  private lazy val ids =
    Seq("r", "s").map(t => t -> spark.table(t).select("id").collect().map(idOf).toSeq).toMap

  /** The rows of a join of any type, by the pairs that match; rows without a time match nothing. */
  private def typed(
      how: String,
      time: String,
      rows: (Int, Int)
  )(matches: (Row, Row) => Boolean): Seq[String] = {
    val found = pairs(time, rows)(matches).map { case (r, s) => (idOf(r), idOf(s)) }
    val lefts = ids("r")
    val loneLeft = lefts.diff(found.map(_._1).distinct)
    val loneRight = ids("s").diff(found.map(_._2).distinct)
    val both = found.map { case (r, s) => s"[$r,$s]" }
    val result = how match {
      case "INNER" => both
      case "LEFT" => both ++ loneLeft.map(r => s"[$r,null]")
      case "RIGHT" => both ++ loneRight.map(s => s"[null,$s]")
      case "FULL" => both ++ loneLeft.map(r => s"[$r,null]") ++ loneRight.map(s => s"[null,$s]")
      case "LEFT SEMI" => lefts.diff(loneLeft).map(r => s"[$r]")
      case "LEFT ANTI" => loneLeft.map(r => s"[$r]")
    }
    result.sorted
  }

  private def int(row: Row, name: String): Option[Int] =
    if (row.isNullAt(row.fieldIndex(name))) None else Some(row.getAs[Int](name))

  private def close(r: Row, s: Row): Boolean =
    int(r, "i").zip(int(s, "i")).exists { case (a, b) => (a - b).abs <= 9 }

  for {
    (n, i) <- Seq(1, 7, 1000).zipWithIndex
    time <- if (n == 7) Seq("ts", "l", "i") else Sample.turn(Seq("ts", "l", "i"), i)
  } test(s"a band within the last $n rows by $time") {
    check("abs(r.i - s.i) <= 9", time, n)(close)
  }

  for {
    (how, i) <- Seq("LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI").zipWithIndex
    (time, j) <- Seq("ts", "i").zipWithIndex
  } test(s"a $how join within the last rows by $time gives each row of the side that it keeps") {
    val columns = if (how.startsWith("LEFT ")) "r.id" else "r.id, s.id"
    for ((n, threads) <- Sample.turn(Seq(1 -> 1, 12 -> 3), i + j)) {
      val df = spark.sql(
        s"SELECT $columns FROM r $how JOIN s ON within_rows(r.$time, s.$time, $n, $threads) AND abs(r.i - s.i) <= 9"
      )
      assert(rowsOf(df) == typed(how, time, (n, n))(close), s"$n rows, $threads threads")
      assert(planned(df).size == 1)
    }
  }

  for ((how, i) <- Seq("INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI").zipWithIndex)
    test(s"a $how join within as many rows of each side as it says, of one of them none") {
      val columns = if (how.startsWith("LEFT ")) "r.id" else "r.id, s.id"
      val both = Sample.turn(Seq((2, 9), (40, 1)), i / 2)
      for (((l, r), j) <- (Seq((0, 5), (5, 0)) ++ both).zipWithIndex) {
        val expected = typed(how, "ts", (l, r))(close)
        for (
          window <- Sample.turn(
            Seq(
              s"within_rows(r.ts, s.ts, array($l, $r))",
              s"within_rows(s.ts, r.ts, array($r, $l), 2)"
            ),
            i + j
          )
        ) {
          val df = spark.sql(
            s"SELECT $columns FROM r $how JOIN s ON $window AND abs(r.i - s.i) <= 9"
          )
          assert(rowsOf(df) == expected, window)
          assert(planned(df).size == 1)
          assert(planned(df).head.description.contains(s"last $l and $r rows by "))
        }
      }
    }

  for (operator <- JoinOperator.all.filterNot(_.needsKey))
    test(s"${operator.title} joins within the last rows where a hint names it") {
      val (n, threads) = (12, 3)
      // The rows of a full join are an inner one's, and more.
      val types = if (Sample.isSoak) Seq("INNER", "FULL") else Seq("FULL")
      for (how <- if (operator.innerOnly) Seq("INNER") else types) {
        val df = spark.sql(
          s"SELECT /*+ WINDOW_JOIN('${operator.name}') */ r.id, s.id FROM r $how JOIN s " +
            s"ON within_rows(r.ts, s.ts, $n, $threads) AND abs(r.i - s.i) <= 9"
        )
        assert(rowsOf(df) == typed(how, "ts", (n, n))(close), s"$how, $n rows, $threads threads")
        assert(planned(df).map(_.operator.operator) == Seq(operator))
      }
      val backward = spark.sql(
        s"SELECT /*+ WINDOW_JOIN('${operator.name}') */ r.id, s.id FROM r JOIN s " +
          "ON within_rows(r.ts, s.ts, array(0, 12)) AND abs(r.i - s.i) <= 9"
      )
      assert(rowsOf(backward) == typed("INNER", "ts", (0, 12))(close))
    }

  test("an operator that cannot join within the last rows is refused by name") {
    def refusal(operator: String, how: String, window: String) = intercept[Exception] {
      spark.sql(
        s"SELECT /*+ WINDOW_JOIN('$operator') */ r.id FROM r $how JOIN s ON within_rows($window)"
      ).collect()
    }.getMessage
    assert(refusal("hp", "INNER", "r.ts, s.ts, 5").contains("'hp'"))
    assert(refusal("handshake", "LEFT", "r.ts, s.ts, 5").contains("inner joins alone"))
    assert(refusal("pim", "INNER", "r.ts, s.ts, 5, r.k, s.k").contains("on one thread"))
  }

  test("with nothing on one side an outer join gives the other's rows") {
    val none = "(SELECT * FROM s WHERE id < 0)"
    for (
      (how, left) <- Seq(
        "LEFT" -> true,
        "FULL" -> true,
        "LEFT ANTI" -> true,
        "LEFT SEMI" -> false,
        "RIGHT" -> false
      )
    ) {
      val joined =
        s"SELECT count(*) FROM r $how JOIN $none s ON within_rows(r.ts, s.ts, 3) AND r.k >= s.k"
      val rows = if (left) spark.table("r").count() else 0L
      assert(spark.sql(joined).collect().map(_.getLong(0)).toSeq == Seq(rows), how)
    }
  }

  test("a table within the last rows of itself, under other names") {
    val table = spark.table("r")
    spark.createDataFrame(table.rdd, table.schema).createOrReplaceTempView("copy_of_r")
    val renamed =
      "(SELECT x.p AS id, x.q AS i, x.at AS ts FROM (SELECT id AS p, i AS q, ts AS at FROM TABLE) x)"
    def query(left: String) =
      s"SELECT a.id, a.i, b.id, b.i FROM ${renamed.replace("TABLE", left)} a JOIN (SELECT id, i, ts FROM r) b " +
        "ON within_rows(a.ts, b.ts, 3) AND abs(a.i - b.i) <= 1"
    val expected = rowsOf(spark.sql(query("copy_of_r")))
    assert(expected.nonEmpty && rowsOf(spark.sql(query("r"))) == expected)
  }

  test("any predicate within the last rows") {
    check("r.id % 7 = s.id % 5", "ts", 20)((r, s) =>
      r.getAs[Int]("id") % 7 == s.getAs[Int]("id") % 5
    )
  }

  test("the window counts the rows of the stream, not those of a key") {
    check("r.k = s.k", "ts", 10)((r, s) =>
      int(r, "k").zip(int(s, "k")).exists { case (a, b) => a == b }
    )
  }

  test("rows of one time are in the order of all columns of the inputs, whatever is selected") {
    // By the first column the order is the other way round than by the one that is selected.
    val rows =
      "SELECT 100 - id AS first, id, timestamp_seconds(id div 5) AS ts, id % 7 AS last FROM range(0, 40)"
    def joined(columns: String) = rowsOf(spark.sql(
      s"SELECT $columns FROM ($rows) a JOIN ($rows) b ON within_rows(a.ts, b.ts, 3)"
    ))
    val pairs = joined("a.id, b.id")
    val ofAll = spark.sql(s"SELECT * FROM ($rows) a JOIN ($rows) b ON within_rows(a.ts, b.ts, 3)")
      .collect()
      .map(row => s"[${row.get(1)},${row.get(5)}]")
      .toSeq
      .sorted
    assert(pairs == ofAll)
    assert(joined("count(*)") == Seq(s"[${pairs.size}]"))
    val expected = {
      val events = for (ts <- 0 until 8; side <- 0 to 1; id <- (5 * ts until 5 * ts + 5).reverse)
        yield (side, id)
      events.indices.flatMap { at =>
        val (side, id) = events(at)
        val opposite = events.take(at).filter(_._1 != side).takeRight(3).map(_._2)
        opposite.map(o => if (side == 0) s"[$id,$o]" else s"[$o,$id]")
      }
    }
    assert(pairs == expected.sorted)
  }

  test("the number of threads and of input partitions changes nothing, not even the order") {
    def run(threads: Int, partitions: Int): Seq[Row] =
      withSettings(ScaleGateConf.CellThreads -> threads.toString) {
        Seq("r", "s").foreach { t =>
          spark.table(t).repartition(partitions).createOrReplaceTempView(s"${t}_parts")
        }
        spark
          .sql(
            "SELECT a.id, b.id FROM r_parts a JOIN s_parts b ON within_rows(a.ts, b.ts, 15) " +
              "AND abs(a.i - b.i) <= 20"
          )
          .collect()
          .toSeq
      }
    val reference = run(1, 1)
    assert(reference.nonEmpty)
    for ((threads, partitions) <- Seq(1 -> 7, 2 -> 3, 5 -> 1))
      assert(run(threads, partitions) == reference, s"$threads threads, $partitions partitions")
  }

  test("an exception inside the predicate reaches the caller") {
    val e = intercept[Exception] {
      spark
        .sql(
          "SELECT r.id FROM r JOIN s ON within_rows(r.ts, s.ts, 50) AND " +
            "CASE WHEN r.id + s.id > 60 THEN raise_error('boom') IS NULL ELSE true END"
        )
        .collect()
    }
    assert(causes(e).exists(_.getMessage.contains("boom")))
  }

  private def fails(query: String): String =
    intercept[Exception](spark.sql(query).collect()).getMessage

  test("a window of no rows, of unknown size, of times of two kinds is refused") {
    assert(
      fails("SELECT r.id FROM r JOIN s ON within_rows(r.ts, s.ts, 0)").contains("at least 1")
    )
    assert(
      fails("SELECT r.id FROM r JOIN s ON within_rows(r.ts, s.ts, r.i)").contains("at least 1")
    )
    for (
      rows <- Seq("array(0, 0)", "array(1)", "array(1, 2, 3)", "array(-1, 2)", "array(1, NULL)")
    )
      assert(
        fails(s"SELECT r.id FROM r JOIN s ON within_rows(r.ts, s.ts, $rows)")
          .contains("not both 0. It was given array("),
        rows
      )
    assert(
      fails("SELECT r.id FROM r JOIN s ON within_rows(r.ts, s.ts, array('1', '2'))")
        .contains("not both 0")
    )
    assert(
      fails("SELECT r.id FROM r JOIN s ON within_rows(r.ts, s.ts)")
        .contains("takes 3 or 4 arguments")
    )
    assert(
      fails("SELECT r.id FROM r JOIN s ON within_rows(r.ts, s.l, 3)").contains("of one kind")
    )
    assert(
      fails("SELECT r.id FROM r JOIN s ON within_rows(r.name, s.name, 3)").contains("of one kind")
    )
    assert(fails("SELECT r.id FROM r JOIN s ON within_rows(r.x, s.x, 3)").contains("of one kind"))
  }

  test("a number of threads that is none is refused") {
    for (threads <- Seq("0", "-2", "1.5", "NULL", "'two'", "r.i", "1025")) {
      val message = fails(s"SELECT r.id FROM r JOIN s ON within_rows(r.ts, s.ts, 3, $threads)")
      assert(message.contains("needs a whole number of threads from 1 to 1024"), threads)
    }
    assert(
      fails("SELECT r.id FROM r JOIN s ON within_rows(r.ts, s.ts, 3, 2, 1)").contains("given 5")
    )
  }

  test("a hint that a row-count window cannot follow is an error") {
    for (
      (how, why) <- Seq(
        "sweep" -> "WINDOW_JOIN('sweep')",
        "2x3" -> "WINDOW_JOIN('matrix')",
        "ordered" -> "ORDER BY"
      )
    ) {
      val sql =
        s"SELECT /*+ WINDOW_JOIN(r, s, '$how') */ r.id FROM r JOIN s ON within_rows(r.ts, s.ts, 2)"
      assert(
        intercept[IllegalArgumentException](spark.sql(sql).collect()).getMessage.contains(why)
      )
    }
  }

  test("a row-count window where it cannot be run is an error that says where it can") {
    Seq(
      "SELECT r.id FROM r WHERE EXISTS (SELECT 1 FROM s WHERE within_rows(r.ts, s.ts, 3)) OR r.k = 1",
      "SELECT r.id FROM r JOIN s ON within_rows(r.ts, s.ts, 3) OR r.k = s.k",
      "SELECT r.id FROM r JOIN s ON within_rows(r.ts, r.ts, 3) AND r.k = s.k",
      "SELECT id FROM r WHERE within_rows(ts, ts, 3)"
    ).foreach(q => assert(fails(q).contains("must be one of the AND-ed conditions"), q))
    withSettings(ScaleGateConf.Enabled -> "false") {
      val message = fails("SELECT r.id FROM r JOIN s ON within_rows(r.ts, s.ts, 3)")
      assert(message.contains("spark.scalegate.enabled on"))
    }
  }

  test("the query's own number of threads goes before the session's") {
    def on(more: String) =
      spark.sql(s"SELECT r.id, s.id FROM r JOIN s ON within_rows(r.ts, s.ts, 15$more)")
    withSettings(ScaleGateConf.CellThreads -> "3") {
      assert(planned(on("")).map(_.operator.threads) == Seq(3))
      for (threads <- Seq(1, 4)) {
        val df = on(s", $threads")
        assert(planned(df).map(_.operator.threads) == Seq(threads))
        assert(planned(df).head.description.contains(
          s"ScaleJoin on ${if (threads == 1) "one thread" else s"$threads threads"} in one task"
        ))
        assert(df.collect().toSeq == on("").collect().toSeq)
      }
    }
  }

  test("the comparisons are shared among the threads") {
    withSettings(ScaleGateConf.CellThreads -> "3") {
      val df =
        spark.sql("SELECT r.id FROM r JOIN s ON within_rows(r.ts, s.ts, 1000) AND r.i = s.i + 1")
      df.collect()
      val m = planned(df).head.metrics
      assert(m("comparisons").value > 0)
      assert(m("busiest").value < m("comparisons").value / 2)
      assert(m("leastBusy").value > m("comparisons").value / 4)
    }
  }

  test("a task that is killed while its predicate waits ends, and so do the join's threads") {
    val predicate = new RowWindowSuite.Waiting
    RowWindowSuite.predicate = predicate
    spark.udf.register("waits", (a: Int, b: Int) => RowWindowSuite.predicate.holds(a, b))
    val query = new Thread(() => {
      spark.sparkContext.setJobGroup("killed", "a join that waits", interruptOnCancel = true)
      val waiting =
        "SELECT r.id FROM r JOIN s ON within_rows(r.ts, s.ts, 50, 2) AND waits(r.id, s.id)"
      try spark.sql(waiting).collect()
      catch { case e: Throwable => predicate.thrown = e }
    })
    query.start()
    try {
      predicate.begun.await()
      spark.sparkContext.cancelJobGroup("killed")
      query.join()
      assert(predicate.thrown != null)
      eventually(timeout(Span(BoundedWait.Seconds, Seconds)))(
        assert(!Thread.getAllStackTraces.keySet.stream
          .anyMatch(_.getName.startsWith("scalegate-join")))
      )
    } finally predicate.end.countDown()
  }
}

object RowWindowSuite {

  /** A predicate that does not come back until it is let, or interrupted. */
  final class Waiting {
    val begun = new CountDownLatch(1)
    val end = new CountDownLatch(1)
    @volatile var thrown: Throwable = _

    def holds(a: Int, b: Int): Boolean = {
      begun.countDown()
      end.await()
      a < b
    }
  }

  @volatile private var predicate: Waiting = _
}
