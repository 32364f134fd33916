package io.scalegate.spark.join.stream

import org.apache.spark.sql.execution.WholeStageCodegenExec

import io.scalegate.spark.join.WindowJoinOutputExec

/** The rows of a join of streams as the generated code of the operators above reads them, where no code may be left to
  * an interpreter. With `SCALEGATE_SOAK` joins of each type give all that is read here; otherwise each gives one kind of
  * it, and each kind is given by two.
  */
final class StreamingGeneratedRowsSuite extends StreamingJoinSuite {
  override protected def settings: Map[String, String] = super.settings ++ Map(
    "spark.sql.codegen.wholeStage" -> "true",
    "spark.sql.codegen.factoryMode" -> "CODEGEN_ONLY",
    "spark.sql.codegen.fallback" -> "false"
  )

  private val types = Seq("INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI")
  private val on = "l.k = r.k AND abs(l.x - r.x) <= 3 AND " +
    "r.ts BETWEEN l.ts - INTERVAL 2 SECONDS AND l.ts + INTERVAL 2 SECONDS"

  /** Columns of every kind: of a fixed width and not, with and without NULLs. */
  private val columns = Seq(
    "ts" -> "ts",
    "k" -> "k",
    "x" -> "x",
    "id" -> "id",
    "flag" -> "x > 5",
    "tiny" -> "cast(x AS TINYINT)",
    "small" -> "cast(id AS SMALLINT)",
    "real" -> "cast(x / 3 AS FLOAT)",
    "double" -> "id / 7D",
    "short_decimal" -> "cast(x / 8 AS DECIMAL(9, 3))",
    "long_decimal" -> "cast(id AS DECIMAL(30, 4)) * 10000000000000",
    "text" -> "repeat('ä', x)",
    "bytes" -> "cast(concat('b', id) AS BINARY)",
    "list" -> "array(x, NULL, 7)",
    "pair" -> "named_struct('x', x, 'text', cast(id AS STRING))",
    "day" -> "cast(ts AS DATE)",
    "span" -> "make_dt_interval(0, 0, 0, x)",
    "months" -> "make_interval(0, x)",
    "never" -> "cast(NULL AS INT)"
  )

  private def relation(name: String) =
    s"(SELECT ${columns.map { case (c, from) => s"$from AS $c" }.mkString(", ")} FROM $name) $name"

  /** Those that take a word each. */
  private val words =
    columns.map(_._1).diff(Seq("long_decimal", "text", "bytes", "list", "pair", "months"))

  private def read(name: String) = columns.map {
    case ("bytes", _) => s"hex($name.bytes)"
    case (c, _) => s"$name.$c"
  }

  private def events(seed: Int, count: Int): Seq[Event] = {
    val random = new scala.util.Random(seed)
    Seq.tabulate(count) { i =>
      val x = Option.when(random.nextInt(8) > 0)(random.nextInt(12))
      at(1 + 0.2 * i, i.toLong).copy(k = Some(random.nextInt(3)), x = x)
    }
  }

  private val end = Seq(at(1000, -1), at(2000, -1))

  /** @param leaving
    *   whether nothing is left to do on the join's rows, for which no code is generated then
    */
  private def assertGenerated(query: String, leaving: Boolean = false): Unit = {
    val (l, r) = (events(1, 90), events(2, 80))
    val run = new Running(query).start()
    try {
      Seq(0, 45).foreach(i => run.add(l.slice(i, i + 45), r.slice(i, i + 45)))
      run.add(end.take(1), Nil)
      run.add(Nil, end.take(1))
      if (isSoak) run.add(end.drop(1), end.drop(1))
      val plan = run.executed
      val outputs = plan.collect { case o: WindowJoinOutputExec => o }
      val generated = plan.collect { case s: WholeStageCodegenExec =>
        s.child.collect { case o: WindowJoinOutputExec => o }
      }.flatten
      assert(outputs.length == 1 && outputs.head.leaving == leaving, plan)
      assert(generated == outputs.filterNot(_.leaving), plan)
      val rows = run.all.filterNot(_.contains("-1"))
      assert(rows.nonEmpty && rows == batchResult(query, l, r))
    } finally {
      run.stop()
      ()
    }
  }

  types.zipWithIndex.foreach { case (how, i) =>
    def isTried(kind: Int) = isSoak || i % 3 == kind
    val sides = if (how.endsWith("SEMI") || how.endsWith("ANTI")) Seq("l") else Seq("l", "r")

    if (isTried(0)) test(s"$how JOIN gives columns of every type") {
      assertGenerated(
        s"SELECT ${sides.flatMap(read).mkString(", ")} FROM ${relation("l")} $how JOIN ${relation("r")} ON $on"
      )
    }

    if (isTried(1))
      test(s"$how JOIN gives columns of one word each, in any order and by other names") {
        val all = for (side <- sides.reverse; c <- words.reverse) yield s"$side.$c AS ${c}_$side"
        assertGenerated(
          s"SELECT ${all.mkString(", ")}, l.id AS again FROM ${relation("l")} $how JOIN ${relation("r")} ON $on",
          leaving = true
        )
      }

    if (isTried(2)) test(s"$how JOIN gives what a filter reads, the rest tested pair by pair") {
      val either = sides.map(s => s"$s.real > 1 OR $s.x IS NULL").mkString(" OR ")
      assertGenerated(
        s"SELECT ${sides.map(s => s"$s.id, upper($s.text)").mkString(", ")} FROM ${relation("l")} " +
          s"$how JOIN ${relation("r")} ON $on AND l.text <> r.text WHERE $either"
      )
    }
  }

  test("columns of rows that have more of them than a word has bits") {
    val numbers = (0 until 70).map(n => s"nullif((id + $n) % 11, $n % 11) AS c$n").mkString(", ")
    def wide(name: String) = s"(SELECT ts, k, x, $numbers FROM $name) $name"
    val some = Seq(0, 1, 31, 60, 61, 62, 63, 64, 69)
    val asked = for (n <- some; side <- Seq("r", "l")) yield s"$side.c$n AS $side$n"
    assertGenerated(
      s"SELECT ${asked.mkString(", ")} FROM ${wide("l")} LEFT JOIN ${wide("r")} ON $on",
      leaving = true
    )
  }
}
