package io.scalegate.spark.join.stream.operator

import java.util.concurrent.ConcurrentLinkedQueue

import org.apache.spark.sql.Encoders

import io.scalegate.Sample
import io.scalegate.spark.join.stream.{DisorderedStreamsSuite, Event}
import io.scalegate.spark.settings.JoinOperator

/** Joins of streams by the papers' operators, which a hint names, beside the batch join of the same rows. With
  * `SCALEGATE_SOAK` each operator runs each join type by each condition that it can.
  */
final class StreamingOperatorsSuite extends DisorderedStreamsSuite {
  private val conditions = Seq(
    "a band" -> s"$within AND abs(l.x - r.x) <= 2",
    "a key" -> s"l.k = r.k AND $within AND l.x < r.x",
    "time alone" -> s"$within AND (l.x + r.x) % 3 = 0",
    "time to one side" ->
      "r.ts > l.ts + INTERVAL 1 SECOND AND r.ts <= l.ts + INTERVAL 4 SECONDS AND l.x <= r.x"
  )
  private val operators = JoinOperator.all.filterNot(_.innerOnly)

  private def query(operator: String, how: String, on: String, more: String = ""): String = {
    val columns = if (how.contains(" ")) "l.id AS a" else "l.id AS a, r.id AS b"
    s"SELECT /*+ WINDOW_JOIN('$operator'$more) */ $columns FROM l $how JOIN r ON $on"
  }

  for ((operator, number) <- operators.zipWithIndex)
    test(s"${operator.title} gives what the batch join gives, however the rows are cut") {
      val possible =
        if (operator.needsKey) conditions.filter(_._2.contains("l.k = r.k")) else conditions
      val cases =
        if (Sample.isSoak) for (how <- types; (_, on) <- possible) yield (how, on)
        else Seq((types(number % types.size), possible(number % possible.size)._2))
      for ((how, on) <- cases) {
        val (l, r) = (disordered(number, 120), disordered(100 + number, 100))
        val asked = query(operator.name, how, on)
        val expected = batchResult(withoutHints(asked), l, r)
        assert(
          expected.nonEmpty && joined(asked, l, r, cutInto(4)).sorted == expected,
          s"$how on $on"
        )
      }
    }

  test("PPOIJ by emitters gives what the batch join gives, however the rows are cut") {
    val on = conditions.map(_._2).filter(_.contains("l.k = r.k"))
    for ((name, i) <- Seq("kp", "dp", "hp").zipWithIndex) {
      val (l, r) = (disordered(60 + i, 120), disordered(70 + i, 100))
      val asked = query(
        s"$name(threads=${2 + i % 2}, batch=${1 + 3 * i}, emitters=true)",
        Seq("FULL", "INNER", "LEFT ANTI")(i),
        on(i % on.size)
      )
      val expected = batchResult(withoutHints(asked), l, r)
      assert(expected.nonEmpty && joined(asked, l, r, cutInto(4)).sorted == expected, name)
    }
  }

  for (
    (operator, i) <-
      Seq("scalejoin(threads=2)", "dp-join(layout=2x1)", "pim(inputs=3)", "bplus").zipWithIndex
  )
    test(s"$operator joins the last rows of two streams, however the rows are cut") {
      val (l, r) = (disordered(30 + i, 120), disordered(40 + i, 100))
      val more = Seq("abs(l.x - r.x) <= 2 AND l.k <= r.k", "l.k = r.k", "l.x < r.x")(i % 3)
      val n = if (i % 2 == 0) "7" else "array(0, 7)"
      for (how <- (Sample.turn(types, i) ++ types.slice(i + 4, i + 5)).distinct) {
        val asked = query(operator, how, s"within_rows(l.ts, r.ts, $n) AND $more")
        for ((name, rows) <- Seq("l" -> l, "r" -> r))
          spark.createDataset(rows)(Encoders.product[Event]).createOrReplaceTempView(name)
        val expected = rowsOf(spark.sql(withoutHints(asked)))
        assert(expected.nonEmpty && joined(asked, l, r, cutInto(4)).sorted == expected, how)
      }
    }

  test("rows are held for as long as what has become of others depends on them, and no longer") {
    val on = s"$within AND l.x = r.x"
    val run = new Running(query("scalejoin", "FULL", on), delay = "0 seconds").start()
    try {
      // The left row has matched long before it is decided; its match is not of any later row's window.
      run.add(Seq(at(10, 1)), Seq(at(8, 11)))
      for (seconds <- (11 to 42).grouped(4)) run.add(
        seconds.map(s => at(s.toDouble, 100L + s, x = 6)),
        seconds.map(s => at(s.toDouble, 200L + s, x = 7))
      )
      val unmatched = run.all.filterNot(_.matches("\\[(1|11),.*|.*,(11)\\]"))
      assert(run.all.filter(_.matches("\\[1,.*|.*,11\\]")) == Seq("[1,11]"))
      assert(unmatched.nonEmpty && unmatched.forall(_.contains("null")))
      assert(run.metric("leftStateRows") <= 15 && run.metric("rightStateRows") <= 15)
    } finally run.stop()
  }

  test("with 'ordered' the rows are those of the index, one after the other") {
    val (l, r) = (disordered(3, 150), disordered(4, 150))
    val operators = Seq("pim(threads=2, inputs=2)", "scalejoin(threads=3)")
    for {
      (how, i) <- Seq("INNER", "FULL").zipWithIndex
      operator <- Sample.turn(operators, i)
    } {
      def by(algorithm: String, cuts: Int) =
        joined(query(algorithm, how, conditions.head._2, ", 'ordered'"), l, r, cuts)
      val one = by(operator, 1)
      assert(one.length > 50 && by(operator, cutInto(3)) == one, s"$operator, $how")
      assert(one.filterNot(_.contains("null")) == by("index", 1).filterNot(_.contains("null")))
    }
  }

  for (
    (operator, i) <-
      Seq("scalejoin(threads=2)", "bplus(inputs=2)", "dp-join(threads=2, inputs=3)").zipWithIndex
  )
    test(s"$operator: more rows at one time than may wait hold nothing back") {
      // So many at one time, and as many as there are of the other side in all.
      def rows(first: Int, count: Int, x: Int) = (first until first + 4500).map { id =>
        val seconds = if (id < first + count) 10.0 else first / 10000 * 20.0
        at(seconds, id.toLong, x = if (id % 1000 == 0) x else id)
      }
      val asked = query(operator, "INNER", s"$within AND r.x - l.x BETWEEN 1 AND 2")
      for ((lefts, rights) <- Sample.turn(Seq((20, 4500), (4500, 20)), i)) {
        val l = at(9, 1, x = 3) +: rows(10000, lefts, 3)
        val r = at(11, 2, x = 5) +: rows(20000, rights, 4)
        // The others are thousands apart.
        val (nearL, nearR) = (l.filter(_.x.get < 10), r.filter(_.x.get < 10))
        val expected = for {
          a <- nearL
          b <- nearR if b.x.get - a.x.get >= 1 && b.x.get - a.x.get <= 2
          wait = b.ts.getTime - a.ts.getTime if wait >= -2000 && wait <= 3000
        } yield s"[${a.id},${b.id}]"
        assert(expected.size == 12 && joined(asked, l, r, 1).sorted == expected.sorted)
      }
    }

  /** Rows of a query, each batch of which another run of it joins by another operator; and the last run. */
  private def byTurns(
      names: Seq[String],
      on: String,
      l: Seq[Event],
      r: Seq[Event],
      how: String = "FULL"
  ) = {
    var run = new Running(query(names.head, how, on), delay = "1 second")
    var rows = Seq.empty[String]
    for ((operator, i) <- names.zipWithIndex) {
      val next = new Running(query(operator, how, on), "1 second", checkpoint = run.checkpoint)
      run = next.takes(run).start()
      try {
        run.add(l.slice(i * 30, (i + 1) * 30), r.slice(i * 30, (i + 1) * 30))
        if (i == names.length - 1) run.add(sentinels, sentinels)
        rows ++= run.inOrder
      } finally run.stop()
    }
    (rows.filterNot(_.contains("-1")), run)
  }

  test("another run of the query goes on with what an operator held, by any other") {
    val (l, r) = (disordered(7, 90), disordered(8, 90))
    val on = conditions.head._2
    val names = Seq("pim", "dp-join(layout=2x1, inputs=2)", "im(merge_ratio=0.5)")
    val (rows, run) = byTurns(names, on, l, r)
    assert(rows == joined(query(names.head, "FULL", on), l, r, 1))
    val index = new Running(query("index", "FULL", on), "1 second", checkpoint = run.checkpoint)
    val e = intercept[Exception](
      try index.takes(run).start().add(disordered(9, 1), Nil)
      finally index.stop()
    )
    assert(e.getMessage.contains("place was [in one task, by an operator, in order]"))
  }

  test("another run goes on with which of the last rows have matched, in the order of one run") {
    val (l, r) = (disordered(17, 90), disordered(18, 90))
    val on = "within_rows(l.ts, r.ts, 5, 8) AND abs(l.x - r.x) <= 1"
    val (rows, _) = byTurns(Seq("pim", "scalejoin(threads=2)", "bplus"), on, l, r)
    val one = joined(query("pim", "FULL", on), l, r, 1)
    assert(rows == one && one.count(_.contains("null")) > 20 && one.size > 60)
    assert(one == joined(query("index", "FULL", on), l, r, 2))
  }

  for (
    (window, how, names) <- Seq(
      (within, "INNER", Seq("scalejoin(threads=2)", "pim", "splitjoin", "celljoin")),
      ("within_rows(l.ts, r.ts, 5, 8)", "LEFT", Seq("dp-join(layout=2x1)", "im", "scalejoin"))
    )
  ) test(s"another run asks the condition for no two rows again: $how, $window") {
    spark.udf.register("asked", AskedPairs.ask _)
    AskedPairs.all.clear()
    val (l, r) = (disordered(27, 120), disordered(28, 120))
    val (rows, _) = byTurns(names, s"$window AND asked(l.id, r.id)", l, r, how)
    val pairs = rows.filterNot(_.contains("null"))
    assert(pairs.size > 100 && AskedPairs.all.size == pairs.size)
  }

  test("EXPLAIN names the operator, its options and its threads") {
    def explained(operator: String, on: String) = {
      val run = new Running(query(operator, "INNER", on)).start()
      try run.add(Seq(at(10, 1)), Seq(at(10.5, 2))).explained
      finally run.stop()
    }
    val alone = explained("pim(threads=2, merge_ratio=0.5)", conditions.head._2)
    assert(alone.contains("PIM-Tree (merge_ratio=0.5) on 2 threads in one task, in order"), alone)
    val keyed = explained("hp", conditions(1)._2)
    assert(keyed.contains("PPOIJ, hybrid on one thread in each partition, in order"), keyed)
  }

  for (
    (what, operator, how, on, why) <- Seq(
      ("results come in no order", "handshake", "INNER", conditions.head._2, "'llhj' gives"),
      ("there is no key", "kp", "INNER", conditions.head._2, "the condition has none"),
      (
        "rows of each key are counted",
        "scalejoin",
        "INNER",
        "within_rows(l.ts, r.ts, 5, l.k, r.k)",
        "in one way alone"
      ),
      (
        "rows are counted and a key is needed",
        "hp",
        "INNER",
        "within_rows(l.ts, r.ts, 5) AND l.k = r.k",
        "has none"
      )
    )
  ) test(s"an operator is refused where $what") {
    val e = intercept[IllegalArgumentException](new Running(query(operator, how, on)).start())
    assert(e.getMessage.contains(s"the operator '$operator' cannot join these two streams"))
    assert(e.getMessage.contains(why), e.getMessage)
  }

  test("a condition that throws in an operator's thread ends the query, and the thread") {
    endsWithItsThreads(query(
      "scalejoin(threads=2)",
      "INNER",
      s"$within AND fussy(l.x) < r.x + 99"
    ))
  }
}

private object AskedPairs {
  val all = new ConcurrentLinkedQueue[(Long, Long)]

  def ask(l: Long, r: Long): Boolean = l < 0 || r < 0 || all.add((l, r))
}
