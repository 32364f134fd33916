package io.scalegate.spark

import org.apache.spark.sql.execution.WholeStageCodegenExec

import io.scalegate.Sample
import io.scalegate.spark.join.WindowJoinOutputExec
import io.scalegate.spark.join.batch.LocalJoin
import io.scalegate.spark.settings.ScaleGateConf

/** A join's rows as the generated code of the operators above reads them, where no code may be left to an
  * interpreter. With `SCALEGATE_SOAK` every algorithm and join type give all that is read here; otherwise each pair of
  * them some of it.
  */
final class GeneratedRowsSuite extends SparkJoinSuite {
  override protected def settings: Map[String, String] = SmallTables ++ Map(
    "spark.sql.codegen.wholeStage" -> "true",
    "spark.sql.codegen.factoryMode" -> "CODEGEN_ONLY",
    "spark.sql.codegen.fallback" -> "false",
    ScaleGateConf.SweepAbove -> "4"
  )

  private val on = "r.k = s.k AND abs(r.i - s.i) <= 6"
  private val types = Seq("INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI")

  private def isOneSided(how: String) = how.endsWith("SEMI") || how.endsWith("ANTI")

  /** All columns of a table, of every type. */
  private def all(relation: String, name: String) =
    s"(SELECT *, i > 0 AS flag, cast(NULL AS INT) AS never FROM $relation) $name"

  private def assertGenerated(query: String): Unit = {
    val stages = collect(executed(assertedJoin(query))) { case s: WholeStageCodegenExec => s }
    assert(stages.exists(_.exists(_.isInstanceOf[WindowJoinOutputExec])), query)
    ()
  }

  private def withAlgorithm(name: String)(body: => Unit): Unit =
    withSettings(ScaleGateConf.JoinAlgorithm -> name)(body)

  for {
    (algorithm, a) <- Seq("broadcast", "index", "sweep").zipWithIndex
    (how, t) <- types.zipWithIndex if how != "FULL" || algorithm == "index"
  } {
    if (Sample.isSoak || (a + t) % 2 == 0)
      test(s"$how JOIN by $algorithm gives columns of every type") {
        withAlgorithm(algorithm) {
          val conditions = Sample.turn(Seq(on, s"$on AND r.name <> s.name"), (a + t) / 2)
          conditions.foreach { on =>
            assertGenerated(s"SELECT * FROM ${all("r", "r")} $how JOIN ${all("s", "s")} ON $on")
          }
        }
      }

    if (Sample.isSoak || (a + t) % 2 == 1)
      test(s"$how JOIN by $algorithm gives what an aggregate or a filter reads") {
        withAlgorithm(algorithm) {
          val right =
            if (isOneSided(how)) "" else ", sum(s.id), count(s.x), max(s.name), min(s.ts)"
          val from = s"FROM r $how JOIN s ON $on"
          assertGenerated(s"SELECT count(*), sum(r.id), sum(r.l), max(r.name)$right $from")
          val either = if (isOneSided(how)) "r.l > 0" else "r.l > 0 OR s.l IS NULL OR s.l > r.l"
          assertGenerated(s"SELECT count(*) $from WHERE $either")
        }
      }
  }

  for ((algorithm, i) <- Seq("broadcast", "index", "sweep").zipWithIndex)
    test(s"a union of joins by $algorithm and tables, whose code Spark 4.3 makes one") {
      withAlgorithm(algorithm) {
        val join = s"SELECT r.id, s.l FROM r JOIN s ON $on"
        val unions = Seq(
          s"$join UNION ALL SELECT id, l FROM r",
          s"SELECT id, l FROM s UNION ALL $join UNION ALL $join",
          s"SELECT sum(id), count(l) FROM (SELECT id, l FROM s UNION ALL $join)"
        )
        Sample.turn(unions, i).foreach(assertGenerated)
      }
    }

  test("more columns than a word has bits, and rows of one size") {
    val numbers =
      (0 until 70).map(n => s"nullif((id + $n) % 11, $n % 11) AS c$n").mkString(", ")
    val read = Seq(0, 1, 31, 62, 63, 64, 69)
    val sums = for (t <- Seq("a", "b"); n <- read) yield s"sum($t.c$n), count($t.c$n)"
    def wide(rows: Int, name: String) =
      s"(SELECT id AS t, id % 13 AS k, $numbers FROM range(0, $rows, 1, 2)) $name"
    withSettings("spark.sql.codegen.maxFields" -> "300") {
      assertGenerated(
        s"SELECT ${sums.mkString(", ")} FROM ${wide(600, "a")} JOIN ${wide(300, "b")} " +
          "ON a.k = b.k AND abs(a.t - b.t) <= 40"
      )
    }
  }

  test("more rows than lie together in memory are found, each with its own columns") {
    def rows(n: Int, name: String, text: String) =
      s"(SELECT id AS t, id % 1499 AS k, id * 7 AS v, nullif(id % 5, 3) AS n$text " +
        s"FROM range(0, $n, 1, 3)) $name"
    val sums =
      "count(*), sum(a.t), sum(b.t * 3 + b.v), sum(a.v % 1000 * b.v), count(b.n), sum(b.n)"
    val near = "ON a.k = b.k AND abs(a.t - b.t) <= 3000"
    withSettings("spark.sql.autoBroadcastJoinThreshold" -> "100MB") {
      val texts =
        Seq("" -> "", ", repeat('x', cast(id % 9 AS INT)) AS text" -> ", sum(length(b.text))")
      texts.zipWithIndex.foreach {
        case ((text, length), i) =>
          Sample.turn(Seq("broadcast", "index"), i).foreach { algorithm =>
            withAlgorithm(algorithm) {
              assertGenerated(
                s"SELECT $sums$length FROM ${rows(60000, "a", text)} JOIN ${rows(50000, "b", text)} $near"
              )
            }
          }
      }
    }
  }

  test("a limit ends the search for a row's matches") {
    val query = s"SELECT a.id, b.id FROM r a JOIN r b ON abs(a.id - b.id) <= 80 LIMIT 3"
    val df = spark.sql(query)
    val all = spark.sql(query.replace(" LIMIT 3", "")).collect().toSet
    val some = df.collect()
    assert(some.length == 3 && some.forall(all.contains))
    val joins = windowJoins(df)
    assertRunsBy(df, classOf[LocalJoin.Broadcast])
    assert(joins.head.metrics("numOutputRows").value < all.size)
  }

  test("joins on joins, and in a matrix, give the same rows") {
    assertGenerated(
      "SELECT a.id, b.name, c.x FROM r a JOIN s b ON abs(a.i - b.i) <= 1 " +
        "LEFT JOIN r c ON c.k = b.k AND abs(c.i - b.i) <= 2"
    )
    // Each type in memory is tried above.
    for ((how, i) <- types.zipWithIndex if Sample.isSoak || i % 2 == 0) {
      val right = if (isOneSided(how)) "" else ", s.x, s.name"
      assertGenerated(
        s"SELECT /*+ WINDOW_JOIN('matrix') */ r.id, r.name$right FROM r " +
          s"$how JOIN s ON r.i > s.i AND r.name <> s.name"
      )
    }
  }

  types.zipWithIndex.foreach { case (how, i) =>
    test(s"$how JOIN over windows of rows gives the rows that interpreted code gives") {
      val right = if (isOneSided(how)) "" else ", s.id, s.x, s.name"
      for (key <- Sample.turn(Seq("", ", r.k, s.k"), i)) {
        val rows = s"SELECT r.id, r.name$right FROM r $how JOIN s ON " +
          s"within_rows(r.id, s.id, 3$key) AND abs(r.i - s.i) <= 9"
        val interpreted =
          withSettings("spark.sql.codegen.wholeStage" -> "false")(rowsOf(spark.sql(rows)))
        assert(rowsOf(spark.sql(rows)) == interpreted)
      }
    }
  }
}
