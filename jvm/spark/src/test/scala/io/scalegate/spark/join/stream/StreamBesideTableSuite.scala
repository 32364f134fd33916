package io.scalegate.spark.join.stream

import scala.collection.mutable

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.{DataFrame, Encoders}

import io.scalegate.Sample
import io.scalegate.spark.join.WindowJoinNode
import io.scalegate.spark.join.lookup.KeptRowsExec
import io.scalegate.spark.settings.ScaleGateConf

/** Joins of a stream with a table, each batch of which is joined as a table would be. With `SCALEGATE_SOAK` each type is
  * tried by each condition; otherwise by two, and each condition with two types.
  */
final class StreamBesideTableSuite extends StreamingJoinSuite {
  private val within = "r.ts BETWEEN l.ts - INTERVAL 1 SECOND AND l.ts + INTERVAL 1 SECOND"
  private val near = "abs(l.x - r.x) <= 1"
  private val reach = "r.x BETWEEN l.x AND l.id + 3" // bounds that are columns

  private val batches = Seq(
    Seq(at(10, 1, x = 1), at(10.2, 2, x = 6), at(11, 3)),
    Seq(at(20, 4, x = 9), at(20.5, 5, x = 2), at(20, 6).copy(k = None, x = None)),
    Seq(at(11.5, 7, x = 4), at(90, 8, x = 5))
  )
  private val table = Seq(
    at(10.5, 1, x = 2),
    at(10.6, 2, x = 5),
    at(11.2, 4, x = 9),
    at(20.2, 5, x = 3),
    at(90, 6, x = 4),
    at(10, 7).copy(k = None, x = None)
  )

  /** A query whose stream has one name and whose table the other. */
  private def beside(query: String, stream: String = "l"): Running = {
    val rows = () => spark.createDataset(table)(Encoders.product[Event])
    new Running(
      query,
      views = () => rows().createOrReplaceTempView(if (stream == "l") "r" else "l")
    )
  }

  private def fed(run: Running, stream: String = "l"): Running = {
    run.start()
    for (rows <- batches) if (stream == "l") run.add(rows, Nil) else run.add(Nil, rows)
    run
  }

  private val known = mutable.Map.empty[(String, String), Seq[String]]

  /** Plain Spark's answer, for which it is asked once: our hints say nothing to it. */
  private def expected(query: String, stream: String = "l"): Seq[String] = {
    val asked = withoutHints(query)
    known.getOrElseUpdate(
      (asked, stream),
      if (stream == "l") batchResult(asked, batches.flatten, table)
      else batchResult(asked, table, batches.flatten)
    )
  }

  /** The two whose turn it is; all in a campaign. */
  private def two[A](all: Seq[A], number: Int, apart: Int = 1): Seq[A] =
    (Sample.turn(all, number) ++ Sample.turn(all, number + apart)).distinct

  private def joins(plan: SparkPlan): Seq[WindowJoinNode] =
    collect(plan) { case w: WindowJoinNode => w }

  private def assertAsAtRest(query: String, stream: String = "l"): Unit = {
    val run = beside(query, stream)
    try {
      fed(run, stream)
      assert(run.all == expected(query, stream), query)
      assert(joins(run.executed).nonEmpty, run.executed)
    } finally run.stop()
  }

  private val conditions = Seq(near, s"$within AND $near", reach, s"l.k = r.k AND $within")

  for (
    ((how, columns), i) <- Seq(
      "JOIN" -> "l.id AS a, r.id AS b",
      "LEFT JOIN" -> "l.id AS a, r.id AS b",
      "LEFT SEMI JOIN" -> "l.id AS a",
      "LEFT ANTI JOIN" -> "l.id AS a"
    ).zipWithIndex
  )
    test(s"$how: the rows of each batch are those of a table") {
      for (on <- two(conditions, i)) assertAsAtRest(s"SELECT $columns FROM l $how r ON $on")
    }

  for ((how, i) <- Seq("JOIN", "RIGHT JOIN").zipWithIndex)
    test(s"$how with the stream on the right") {
      for (on <- two(conditions, i, apart = 2))
        assertAsAtRest(s"SELECT l.id AS a, r.id AS b FROM l $how r ON $on", stream = "r")
    }

  test("a table that Spark would not broadcast is met by the keys, or in cells") {
    withSettings(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
      for {
        (on, i) <- conditions.zipWithIndex
        how <- Sample.turn(Seq("JOIN", "LEFT JOIN"), i + i / 2)
      } assertAsAtRest(s"SELECT l.id AS a, r.id AS b FROM l $how r ON $on")
    }
  }

  for (algorithm <- Seq("broadcast", "index", "sweep", "matrix", "pim", "scalejoin"))
    test(s"a hint asks for $algorithm") {
      val how = if (algorithm == "matrix") "" else "l.k = r.k AND "
      assertAsAtRest(
        s"SELECT /*+ WINDOW_JOIN('$algorithm') */ l.id AS a, r.id AS b FROM l JOIN r ON $how$within"
      )
    }

  for (how <- Seq("JOIN", "LEFT JOIN"))
    test(s"aggregates of a $how's rows, by windows that the stream's watermark closes") {
      val query =
        "SELECT w.start AS s, count(*) AS n FROM (SELECT window(l.ts, '10 seconds') AS w " +
          s"FROM l $how r ON $near) GROUP BY w"
      val run = beside(query)
      try {
        run.start().add(batches.head, Nil).add(batches(1), Nil)
        run.add(Seq(at(300, 9, x = 100)), Nil)
        val closed = batchResult(query, batches.take(2).flatten, table)
        assert(run.all == closed && closed.size == 2)
      } finally run.stop()
    }

  test("what adaptive execution finds below the join is not taken for its rows") {
    withSettings(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
      for (on <- Seq(s"l.k = r.k AND $near", near, within)) {
        val run = beside(s"SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON $on AND r.id > 100")
        try assert(fed(run).all.size == batches.flatten.size, run.executed)
        finally run.stop()
      }
    }
  }

  test("a query goes on from its checkpoint, with the package or without it") {
    val query = s"SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON $near"
    val run = beside(query)
    try {
      run.start().add(batches.head, Nil).stop()
      plainSpark(run.start().add(batches(1), Nil))
      run.stop().start().add(batches(2), Nil)
      assert(run.all == expected(query))
    } finally run.stop()
  }

  test("rows of the table alone have no answer before the stream ends: Spark refuses them") {
    for (how <- Seq("RIGHT JOIN", "FULL JOIN")) {
      val query = s"SELECT /*+ WINDOW_JOIN */ l.id AS a, r.id AS b FROM l $how r ON $near"
      val e = intercept[Exception](fed(beside(query)))
      assert(e.getMessage.contains("streaming"), e)
    }
  }

  test("a window of rows is no join of a stream with a table") {
    val query = "SELECT l.id AS a, r.id AS b FROM l JOIN r ON within_rows(l.ts, r.ts, 3)"
    val e = intercept[Exception](fed(beside(query)))
    assert(causes(e).exists(_.getMessage.contains("batch inputs")), e)
  }

  /** By the package, which alone has joins with the last row before. */
  private def atRest(query: String): Seq[String] = {
    for ((name, rows) <- Seq("l" -> batches.flatten, "r" -> table))
      spark.createDataset(rows)(Encoders.product[Event]).createOrReplaceTempView(name)
    rowsOf(spark.sql(query))
  }

  /** A query of a stream with a cached table, whose plans are given after each batch. */
  private def besideCached(
      query: String,
      cached: DataFrame
  )(see: (Running, SparkPlan) => Unit) = {
    cached.cache().count()
    val run = new Running(query, views = () => cached.createOrReplaceTempView("r"))
    try {
      run.start()
      for (rows <- batches) see(run, run.add(rows, Nil).executed)
      run
    } finally {
      run.stop()
      cached.unpersist()
    }
  }

  private def rowsOfTable: DataFrame = spark.createDataset(table)(Encoders.product[Event]).toDF()

  private def isKept(plan: SparkPlan): Boolean =
    collect(plan) { case kept: KeptRowsExec => kept }.nonEmpty

  private val notBroadcast = Map(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "10")

  for (
    ((name, on), i) <- Seq(
      "a band" -> near,
      "a window" -> s"$within AND $near",
      "bounds that are columns" -> reach,
      "a key" -> s"l.k = r.k AND $within",
      "the last row before" -> "asof(l.ts, r.ts, 'backward')"
    ).zipWithIndex
  ) test(s"$name: a cached table is broadcast once, and each batch's rows are those of a table") {
    for (how <- two(Seq("JOIN", "LEFT JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"), i)) {
      val isOfPairs = !how.contains("SEMI") && !how.contains("ANTI")
      val columns = if (isOfPairs) "l.id AS a, r.id AS b" else "l.id AS a"
      val query = s"SELECT $columns FROM l $how (SELECT * FROM r WHERE id < 7) r ON $on"
      withSettings(notBroadcast.toSeq: _*) {
        var plans = Seq.empty[SparkPlan]
        val run = besideCached(query, rowsOfTable)((_, plan) => plans :+= plan)
        assert(run.all == atRest(query), s"$how, $name")
        assert(plans.map(isKept) == Seq(false, true, true), plans.last)
        assert(collect(plans.last) { case e: Exchange => e }.isEmpty, plans.last)
      }
    }
  }

  test("other rows of a cached table are not taken for those that were broadcast") {
    val selections = Seq(
      "id, x" -> "id, x",
      "id, x" -> "x AS id, id AS x",
      "id, x" -> "id, x + 1 AS x",
      "x AS id, x" -> "id, x",
      "id, x" -> "id, x FROM (SELECT id + 1 AS id, x AS y, id AS x FROM r)"
    ).flatMap { case (a, b) => Seq(a, b) }.distinct
    val cached = rowsOfTable.cache()
    assert(cached.count() == table.size)
    // Each but the first comes after another one's rows; the first after the last one's, when it is asked for again.
    for (selected <- selections ++ Sample.some(selections, 1)) {
      val from = if (selected.contains("FROM")) selected else s"$selected FROM r"
      val query = s"SELECT l.id AS a, r.id AS b FROM l LEFT JOIN (SELECT $from) r ON $near"
      val run = new Running(query, views = () => cached.createOrReplaceTempView("r"))
      try assert(fed(run).all == expected(query), selected)
      finally run.stop()
    }
    cached.unpersist()
  }

  test("a table that is cached again has its new rows") {
    val query = s"SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON $near"
    spark.udf.register("has_row", TableRows.has _)
    TableRows.from = 0
    val part = rowsOfTable.where("has_row(id)")
    var number = 0
    val run = besideCached(query, part) { (_, plan) =>
      number += 1
      assert(isKept(plan) == (number == 2))
      if (number == 2) {
        part.unpersist(blocking = true)
        TableRows.from = 6
        part.cache().count()
      }
    }
    TableRows.from = 0
    val all = expected(query)
    assert(all.diff(run.all) == Seq("[7,2]", "[7,5]", "[8,2]") && run.all.diff(all).isEmpty)
  }

  test("what is kept of a table is the rows of one condition, and of the last ones asked for") {
    // Each batch has a time of its own, and so other rows to keep.
    val now = "(SELECT * FROM r WHERE ts < current_timestamp()) r"
    val query = s"SELECT l.id AS a, r.id AS b FROM l JOIN $now ON $near"
    val run = besideCached(query, rowsOfTable)((_, plan) => assert(!isKept(plan)))
    assert(run.all == expected(query))
  }

  for (
    (setting, value) <- Seq(
      ScaleGateConf.KeptTableBytes -> "0",
      ScaleGateConf.KeptTableBytes -> "100b",
      SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1"
    )
  )
    test(s"nothing is kept where $setting is $value") {
      val query = s"SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON $near"
      withSettings((notBroadcast + (setting -> value)).toSeq: _*) {
        val run = besideCached(query, rowsOfTable)((_, plan) => assert(!isKept(plan)))
        assert(run.all == expected(query))
      }
    }

  test("a size of what is kept that is none is refused") {
    withSettings(ScaleGateConf.KeptTableBytes -> "much") {
      val query = s"SELECT l.id AS a, r.id AS b FROM l LEFT JOIN r ON $near"
      val e = intercept[Exception](besideCached(query, rowsOfTable)((_, _) => ()))
      assert(causes(e).exists(_.getMessage.contains("must be a size, as in 128m, or 0")), e)
    }
  }

  test("what a running query says of its joins") {
    val run = beside(s"SELECT l.id AS a, r.id AS b FROM l JOIN r ON $near")
    try assert(fed(run).explained.contains("index over the broadcast"), run.explained)
    finally run.stop()
  }

  test("with the package off it is Spark's own join") {
    val run = beside(s"SELECT l.id AS a, r.id AS b FROM l JOIN r ON $near")
    try withSettings(ScaleGateConf.Enabled -> "false")(assert(joins(fed(run).executed).isEmpty))
    finally run.stop()
  }
}

/** Which rows the table of a test has, of those that it may have. */
private object TableRows {
  @volatile var from = 0L

  def has(id: Long): Boolean = id >= from
}
