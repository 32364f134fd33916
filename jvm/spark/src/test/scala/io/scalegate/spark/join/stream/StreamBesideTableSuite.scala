package io.scalegate.spark.join.stream

import org.apache.spark.sql.Encoders
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.spark.join.WindowJoinNode
import io.scalegate.spark.settings.ScaleGateConf

/** Joins of a stream with a table, each batch of which is joined as a table would be. */
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

  private def expected(query: String, stream: String = "l"): Seq[String] =
    if (stream == "l") batchResult(query, batches.flatten, table)
    else batchResult(query, table, batches.flatten)

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
    (how, columns) <- Seq(
      "JOIN" -> "l.id AS a, r.id AS b",
      "LEFT JOIN" -> "l.id AS a, r.id AS b",
      "LEFT SEMI JOIN" -> "l.id AS a",
      "LEFT ANTI JOIN" -> "l.id AS a"
    )
  )
    test(s"$how: the rows of each batch are those of a table") {
      for (on <- conditions) assertAsAtRest(s"SELECT $columns FROM l $how r ON $on")
    }

  for (how <- Seq("JOIN", "RIGHT JOIN"))
    test(s"$how with the stream on the right") {
      for (on <- conditions)
        assertAsAtRest(s"SELECT l.id AS a, r.id AS b FROM l $how r ON $on", stream = "r")
    }

  test("a table that Spark would not broadcast is met by the keys, or in cells") {
    withSettings(SQLConf.AUTO_BROADCASTJOIN_THRESHOLD.key -> "-1") {
      for (on <- conditions; how <- Seq("JOIN", "LEFT JOIN"))
        assertAsAtRest(s"SELECT l.id AS a, r.id AS b FROM l $how r ON $on")
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
