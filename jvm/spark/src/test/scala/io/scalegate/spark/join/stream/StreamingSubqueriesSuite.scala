package io.scalegate.spark.join.stream

import io.scalegate.Sample
import io.scalegate.spark.settings.ScaleGateConf

/** Queries at rest inside streaming queries, and expressions of another value in each batch. With `SCALEGATE_SOAK` each of
  * these stands in a condition and in a WHERE; otherwise by turns.
  */
final class StreamingSubqueriesSuite extends StreamingJoinSuite {
  private val within = "r.ts BETWEEN l.ts - INTERVAL 1 SECOND AND l.ts + INTERVAL 1 SECOND"
  private val three = "(SELECT max(id) FROM range(4))"
  private val (left, right) = (
    Seq(at(10, 1, x = 1), at(10.2, 2, x = 6), at(11, 3)),
    Seq(at(10.5, 1, x = 4), at(10.6, 5, x = 9), at(11.2, 4, x = 2))
  )
  private val ends =
    Sample.some(Seq(Seq(at(100, -1, x = -50)), Seq(at(200, -1, x = -50))), 1)

  for (
    (where, query) <- Seq(
      "the residual" -> s"SELECT l.id, r.id FROM l LEFT JOIN r ON l.k = r.k AND $within AND l.x < r.x + $three",
      "the WHERE" -> s"SELECT l.id, r.id FROM l JOIN r ON $within AND l.x <> r.x WHERE l.id + r.id > $three",
      "a key" -> s"SELECT l.id, r.id FROM l FULL JOIN r ON $within AND l.id = r.id + $three - 3",
      "a band" -> s"SELECT l.id, r.id FROM l LEFT JOIN r ON $within AND abs(l.x - (r.x + $three)) <= 2",
      "one task's condition" -> s"SELECT l.id FROM l LEFT SEMI JOIN r ON $within AND (l.x + r.x) % $three = 1",
      "an EXISTS" -> s"SELECT l.id, r.id FROM l JOIN r ON $within WHERE l.x <> r.x AND EXISTS (SELECT 1 FROM range(3))"
    )
  )
    test(s"a scalar subquery in $where of a join of streams") {
      val run = new Running(query).start()
      try {
        run.add(left, Nil).add(Nil, right).stop().start()
        ends.foreach(e => run.add(e, e))
        val expected = batchResult(query, left, right)
        assert(run.operator == "windowJoin")
        assert(run.all.filterNot(_.contains("-1")) == expected && expected.nonEmpty)
      } finally run.stop()
    }

  test("a scalar subquery where an input is joined with itself under other names") {
    val named = "(SELECT id AS i, ts AS t, k AS n FROM r)"
    val query =
      s"SELECT l.i, r.id, l.n, r.k FROM $named l FULL JOIN r ON l.n = r.k AND r.ts BETWEEN " +
        s"l.t + INTERVAL 50 MILLISECONDS AND l.t + INTERVAL 1 SECOND AND l.i < r.id + $three"
    val run = new Running(query).start()
    try {
      run.add(Nil, right)
      ends.foreach(e => run.add(e, e))
      val expected = batchResult(query, Nil, right)
      assert(run.operator == "windowJoin")
      assert(run.all.filterNot(_.contains("-1")) == expected && expected.nonEmpty)
    } finally run.stop()
  }

  test(
    "a subquery that gives rows of a stream is refused in a join's condition, by Spark or here"
  ) {
    val query = s"SELECT l.id FROM l JOIN r ON $within AND l.x < r.x + (SELECT max(id) FROM l)"
    intercept[Exception](new Running(query).start().add(left, right))
  }

  private def windows(aggregates: String, from: String = "l") =
    s"SELECT w.start AS a, k, $aggregates FROM (SELECT *, window(ts, '10 seconds', '2 seconds') AS w FROM " +
      s"$from) GROUP BY w, k"

  /** Rows of every batch of both operators. */
  private def assertAsSparks(query: String, mode: String): Unit = {
    val (ours, sparks) = (new Running(query, mode = mode), new Running(query, mode = mode))
    try {
      ours.start()
      withSettings(ScaleGateConf.Aggregates -> "false")(sparks.start())
      for (batch <- Seq(left, right) ++ ends) {
        ours.add(batch, Nil)
        sparks.add(batch, Nil)
        assert(ours.fresh() == sparks.fresh(), query)
      }
      assert(ours.operator == "windowAggregate" && ours.all.nonEmpty, query)
    } finally {
      ours.stop()
      sparks.stop()
    }
  }

  for ((held, more) <- Seq("in blocks" -> "", "one by one" -> ", collect_set(x) AS xs"))
    test(
      s"a scalar subquery in functions, results, filters and conditions of windows that slide: panes $held"
    ) {
      val all =
        s"sum(id + $three) AS s, count(*) + $three AS n, count(*) FILTER (WHERE id < $three) AS m$more"
      assertAsSparks(
        windows(all, s"(SELECT * FROM l WHERE id <> $three)") + s" HAVING count(*) < $three + 9",
        if (more.isEmpty) "append" else "update"
      )
    }

  /** What a query gives, or the condition of its error. */
  private def answer(query: String): String =
    try {
      val run = new Running(query).start()
      try {
        run.add(left, right)
        ends.foreach(e => run.add(e, e))
        run.all.filterNot(_.contains("-1")).mkString(" ")
      } finally run.stop()
    } catch {
      case e: Exception =>
        causes(e).collect { case s: org.apache.spark.SparkThrowable => s.getCondition }.lastOption
          .getOrElse(e.toString)
    }

  private val now = "current_timestamp() > timestamp'2020-01-01'"

  for (
    (where, query) <- Seq(
      "results, filters and conditions" -> (windows(
        s"count(*) AS n, $now AS now, current_date() > date'2020-01-01' AS day, max(seen > ts) AS late",
        "(SELECT *, current_timestamp() AS seen FROM l WHERE ts < current_timestamp())"
      ) + " HAVING min(ts) < current_timestamp()"),
      "a FILTER" -> windows("count(*) FILTER (WHERE ts < current_timestamp()) AS n"),
      "a function" -> windows(s"max($now) AS late"),
      "a key" -> ("SELECT w.start AS a, now, count(*) AS n FROM (SELECT current_timestamp() > ts AS now, " +
        "window(ts, '10 seconds', '2 seconds') AS w FROM l) GROUP BY w, now")
    )
  )
    test(s"the time of the batch in $where of windows that slide over a stream") {
      val ours = answer(query)
      assert(ours == withSettings(ScaleGateConf.Aggregates -> "false")(answer(query)))
      info(ours.take(60))
    }

  for (
    ((what, condition), i) <- Seq(
      "a random number" -> "rand() >= 0",
      "the time of the batch" -> "l.ts < current_timestamp() + (r.ts - r.ts)",
      "a random number of both sides" -> "l.x + r.x + rand() > 0"
    ).zipWithIndex
  ) {
    if (isSoak || i % 2 == 0)
      test(s"$what in the condition of a join of streams is answered as Spark answers it") {
        val query = s"SELECT l.id, r.id FROM l JOIN r ON l.k = r.k AND $within AND $condition"
        assert(answer(query) == plainSpark(answer(query)))
      }

    if (isSoak || i % 2 == 1)
      test(s"$what in the WHERE over a join of streams is answered as Spark answers it") {
        val query =
          s"SELECT l.id AS a, r.id AS b FROM l JOIN r ON l.k = r.k AND $within WHERE $condition"
        assert(answer(query) == plainSpark(answer(query)))
      }
  }
}
