package io.scalegate.spark.join.stream

import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike
import org.apache.spark.sql.scalegate.RowExchangeExec

/** Queries in which several operators read the same stream, by the same exchange if they could. */
final class StreamingSharedInputsSuite extends StreamingJoinSuite {
  private val rows = Seq(at(3.801, 2), at(7.997, 6), at(8.5, 7, x = 9))
  private val ends = Seq(100000, 200000).map(seconds => Seq(at(seconds.toDouble, -1, x = -50)))

  private def joined(hint: String) =
    s"(SELECT $hint x.id, x.ts FROM r x JOIN r y ON y.ts - x.ts BETWEEN INTERVAL -3 SECONDS " +
      "AND INTERVAL 0 SECONDS AND abs(x.x - y.x) <= 2)"
  private val inOrder = joined("/*+ WINDOW_JOIN(x, y, 'ordered') */")
  private val atOnce = joined("")
  private val outer =
    "(SELECT x.id, x.ts FROM r x LEFT JOIN r y ON y.ts - x.ts BETWEEN INTERVAL 1 SECOND " +
      "AND INTERVAL 3 SECONDS)"
  private val windows =
    "(SELECT count(*) AS id, window.start AS ts FROM r GROUP BY window(ts, '5 seconds', '1 second'))"
  private def near = "q.ts BETWEEN l.ts - INTERVAL 3 SECONDS AND l.ts + INTERVAL 1 SECOND"

  for (
    (name, query) <- Seq(
      "rows in order" -> s"SELECT id, 1 AS z FROM $inOrder UNION ALL SELECT id, 2 FROM $inOrder",
      "unmatched rows" -> s"SELECT id, 1 AS z FROM $outer UNION ALL SELECT id, 2 FROM $outer",
      "windows" -> s"SELECT id, ts, 1 AS z FROM $windows UNION ALL SELECT id, ts, 2 FROM $windows",
      "rows in order, and what is decided above them" ->
        s"SELECT l.id FROM (SELECT * FROM l UNION ALL SELECT * FROM r) l LEFT ANTI JOIN $inOrder q ON $near",
      "pairs, and what is decided above them" ->
        s"SELECT l.id FROM (SELECT * FROM l UNION ALL SELECT * FROM r) l LEFT ANTI JOIN $atOnce q ON $near",
      "unmatched rows, and what is decided above them twice" ->
        (s"SELECT l.id FROM l LEFT ANTI JOIN $outer q ON $near UNION ALL " +
          s"SELECT l.id FROM r l LEFT ANTI JOIN $outer q ON $near"),
      "what was repartitioned before" ->
        ("SELECT x.id, 1 AS z FROM (SELECT /*+ REPARTITION(3, k) */ * FROM r) x LEFT ANTI JOIN l ON " +
          "l.ts BETWEEN x.ts AND x.ts + INTERVAL 1 SECOND UNION ALL SELECT x.id, 2 FROM (SELECT " +
          "/*+ REPARTITION(3, k) */ * FROM r) x LEFT ANTI JOIN l ON l.ts BETWEEN x.ts AND x.ts + INTERVAL 1 SECOND")
    )
  )
    test(s"each of several operators has its watermark: $name") {
      val run = new Running(query, delay = "30 seconds")
      try {
        run.start().add(Nil, rows)
        ends.foreach(e => run.add(e, e))
        def isOfEnds(row: String) =
          row.contains("-1,") || row.contains("[-1") || row.matches(".*1970-01-0[234].*")
        val expected = batchResult(withoutHints(query), Nil, rows)
        assert(run.all.filterNot(isOfEnds) == expected)
        assert(name.contains("decided") || expected.nonEmpty)
      } finally run.stop()
    }

  test("an operator by itself shares the exchange of its sides, which is this package's") {
    val run = new Running(s"SELECT id FROM $inOrder")
    try {
      run.start().add(Nil, rows)
      val exchanges = run.executed.collect { case e: ShuffleExchangeLike => e }
      assert(exchanges.nonEmpty && exchanges.forall(_.isInstanceOf[RowExchangeExec]))
      assert(!run.explained.contains("StreamingOperatorInput"), run.explained)
    } finally run.stop()
  }
}
