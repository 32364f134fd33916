package io.scalegate.spark.join.operator

import org.apache.spark.sql.DataFrame

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.settings.{JoinOperator, OperatorOption, ScaleGateConf}

/** Joins by the papers' operators, which a hint names, beside plain Spark's. With `SCALEGATE_SOAK` each operator runs all
  * join types that it can, and takes each of its options; otherwise it runs a third of them, so that any three operators in
  * a row run all, and takes either several threads or several inputs.
  */
final class OperatorJoinSuite extends SparkJoinSuite {
  private val near = "s.ts BETWEEN r.ts - INTERVAL 3 HOURS AND r.ts + INTERVAL 5 HOURS"
  private val conditions = Seq(
    "a window and two bands" -> s"$near AND abs(r.i - s.i) <= 20 AND abs(r.x - s.x) <= 15",
    "a window and any predicate" -> s"$near AND r.id % 3 <> s.id % 4",
    "a window of whole numbers" -> "s.l BETWEEN r.l - 4 AND r.l + 9",
    "a window of days" -> "s.d BETWEEN date_sub(r.d, 2) AND date_add(r.d, 1) AND r.i < s.i",
    "a key and a window" -> s"r.k = s.k AND $near",
    "a key of text and a window to one side" ->
      "r.name = s.name AND s.ts >= r.ts - INTERVAL 9 HOURS AND s.ts < r.ts",
    "a key, a window and any predicate" -> s"r.k = s.k AND $near AND r.i > s.i - r.id % 7"
  )

  private def planned(df: DataFrame): Seq[OperatorJoinExec] =
    collect(executed(df)) { case o: OperatorJoinExec => o }

  private def query(operator: JoinOperator, how: String, condition: String): String = {
    val columns = if (how.startsWith("LEFT ")) "r.*" else "r.id, r.i, r.name, s.id, s.x, s.ts"
    s"SELECT /*+ WINDOW_JOIN('${operator.name}') */ $columns FROM r $how JOIN s ON $condition"
  }

  private val types = Seq("INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI")

  for (operator <- JoinOperator.all)
    test(s"${operator.title}: the join types that it runs give the rows of plain Spark") {
      val number = JoinOperator.all.indexOf(operator)
      def isTried(i: Int) = Sample.isSoak || i % 3 == number % 3
      for {
        (how, i) <- types.zipWithIndex
        if (if (operator.innerOnly) how == "INNER" else isTried(i))
      } {
        // A full join without a key reads both sides twice, and these are of an RDD.
        val possible = conditions.filter { case (_, condition) =>
          condition.contains(" = ") || (how != "FULL" && !operator.needsKey)
        }
        // Another one for each operator and type.
        val (name, condition) = possible((number + i + number / 3 + i / 3) % possible.size)
        withSettings(ScaleGateConf.CellThreads -> (if (number % 2 == 0) "1" else "3")) {
          val df = assertedJoin(query(operator, how, condition))
          assert(planned(df).map(_.operator.operator) == Seq(operator), s"$name, $how")
        }
      }
    }

  test("a full join without a key is two joins by the operator") {
    val files = newDirectory().toString
    for (table <- Seq("r", "s")) {
      spark.table(table).write.parquet(s"$files/$table")
      spark.read.parquet(s"$files/$table").createOrReplaceTempView(s"file_$table")
    }
    val df = assertedJoin(
      "SELECT /*+ WINDOW_JOIN('scalejoin') */ r.id, s.id FROM file_r r FULL JOIN file_s s " +
        s"ON $near AND abs(r.i - s.i) <= 20"
    )
    assert(planned(df).map(_.operator.operator) == Seq.fill(2)(JoinOperator.ScaleJoin))
  }

  test("the setting names an operator for the joins that it can run") {
    withSettings(ScaleGateConf.JoinAlgorithm -> "pim") {
      assert(planned(assertedJoin(s"SELECT r.id, s.id FROM r JOIN s ON $near")).size == 1)
      assert(planned(assertedJoin("SELECT r.id FROM r JOIN s ON abs(r.x - s.x) <= 1")).isEmpty)
    }
  }

  private val values: Map[OperatorOption[_], String] = Map(
    OperatorOption.Threads -> "3",
    OperatorOption.Layout -> "2x2",
    OperatorOption.Adaptive -> "true",
    OperatorOption.MergeRatio -> "0.05",
    OperatorOption.InsertionDepth -> "0",
    OperatorOption.Dimensions -> "2",
    OperatorOption.TaskSize -> "3",
    OperatorOption.Length -> "5",
    OperatorOption.Splitting -> "2",
    OperatorOption.Theta -> "1.5",
    OperatorOption.Split -> "every-key",
    OperatorOption.Batch -> "5",
    OperatorOption.Emitters -> "true",
    OperatorOption.Inputs -> "3"
  )

  /** In the joins above operators of an odd number have several threads. */
  private def isTaken(option: OperatorOption[_], number: Int): Boolean = option match {
    case OperatorOption.Threads => number % 2 == 0
    case OperatorOption.Inputs => number % 2 == 1
    case _ => true
  }

  for {
    (operator, number) <- JoinOperator.all.zipWithIndex
    option <- operator.takes
    if Sample.isSoak || isTaken(option, number) || operator.takes.size == 1
  } test(s"'${operator.name}($option=${values(option)})' gives the rows of plain Spark") {
    val said = s"$option=${values(option)}"
    val join = query(operator, "INNER", s"r.k = s.k AND $near AND abs(r.i - s.i) <= 20")
    val df = assertedJoin(join.replace(s"'${operator.name}'", s"'${operator.name}($said)'"))
    assert(planned(df).map(_.operator.options.get(option)) == Seq(option.read(values(option))))
    val told = if (option == OperatorOption.Threads) "on 3 threads" else said
    assert(executed(df).toString.contains(told))
  }

  test("PPOIJ by emitters runs every join type, and names them in EXPLAIN") {
    for {
      (name, n) <- Seq("kp", "dp", "hp").zipWithIndex
      (how, i) <- types.zipWithIndex
      if Sample.isSoak || (n + i) % 3 == 0
    } {
      val asked = s"$name(threads=${2 + i % 2}, batch=${1 + 7 * (i % 3)}, emitters=true)"
      val join = query(JoinOperator.ScaleJoin, how, s"r.k = s.k AND $near AND r.i > s.i - 5")
      val df = assertedJoin(join.replace("scalejoin", asked))
      assert(planned(df).map(_.operator.operator.name) == Seq(name), how)
      assert(executed(df).toString.contains("emitters=true"))
    }
  }

  test("options of an operator may stand in the setting, and are more than the threads of all") {
    val settings = Seq(
      ScaleGateConf.JoinAlgorithm -> "DP-Join( Layout = 1x3 )",
      ScaleGateConf.CellThreads -> "2"
    )
    withSettings(settings: _*) {
      val df = assertedJoin(s"SELECT r.id, s.id FROM r JOIN s ON $near")
      assert(planned(df).map(_.operator.threads) == Seq(3))
    }
  }

  for {
    (asked, why) <- Seq(
      "pim(merge=0.5)" -> "has no option 'merge': it takes threads, merge_ratio",
      "bplus(threads=2)" -> "has no option 'threads': it takes dimensions, inputs",
      "pim()" -> "has no option ''",
      "pim(threads)" -> "has no option 'threads'",
      "pim(merge_ratio=2)" -> "merge_ratio is a number above 0 and at most 1",
      "scalejoin(threads=0)" -> "threads is a whole number from 1 to 1024",
      "scalejoin(threads=2,threads=3)" -> "is given threads twice",
      "dp-join(threads=2, layout=1x2)" -> "is given a layout and threads",
      "index(threads=2)" -> "'index' takes no options"
    )
  } test(s"'$asked' is refused") {
    val join = query(JoinOperator.ScaleJoin, "INNER", near).replace("scalejoin", asked)
    val refusal = intercept[IllegalArgumentException](spark.sql(join))
    assert(refusal.getMessage.contains(why))
    withSettings(ScaleGateConf.JoinAlgorithm -> asked) {
      val refusal = intercept[IllegalArgumentException] {
        spark.sql(s"SELECT r.id, s.id FROM r JOIN s ON $near").collect()
      }
      assert(refusal.getMessage.contains(why))
    }
  }

  test("EXPLAIN names the operator, its threads and where rows meet") {
    withSettings(ScaleGateConf.CellThreads -> "3") {
      val said = executed(spark.sql(query(JoinOperator.ScaleJoin, "INNER", near))).toString
      assert(said.contains("algorithm: ScaleJoin on 3 threads in one task (as hinted)"))
      val keyed =
        executed(spark.sql(query(JoinOperator.Hybrid, "LEFT", s"r.k = s.k AND $near"))).toString
      assert(
        keyed.contains("algorithm: PPOIJ, hybrid on 3 threads in each partition (as hinted)")
      )
    }
  }

  for {
    (what, condition, why) <- Seq(
      ("no window", "abs(r.x - s.x) <= 1", "no time or whole number is bounded by constants"),
      ("bounds that are columns", "s.l BETWEEN r.i AND r.id", "no time or whole number"),
      ("nothing bounded", "r.id <> s.id", "no time or whole number is bounded by constants")
    )
  } test(s"an operator is refused where there is $what") {
    val e = intercept[Exception] {
      spark.sql(query(JoinOperator.ScaleJoin, "INNER", condition)).collect()
    }
    assert(e.getMessage.contains("WINDOW_JOIN('scalejoin') cannot run this join") &&
      e.getMessage.contains(why))
  }

  test("an operator that spreads rows by a key is refused where there is none") {
    val e = intercept[Exception] {
      spark.sql(query(JoinOperator.Hybrid, "INNER", near)).collect()
    }
    assert(e.getMessage.contains("it spreads rows by an equality key"))
  }

  test("an operator whose results come in no order is refused for an outer join") {
    val e = intercept[Exception] {
      spark.sql(query(JoinOperator.Handshake, "LEFT", near)).collect()
    }
    assert(e.getMessage.contains("it runs inner joins alone: 'llhj' runs the others"))
  }

  test("rows are evicted from an operator's window as time goes on") {
    val rows = "SELECT id AS t, repeat('x', 2000) AS pad FROM range(60000)"
    val df = spark.sql(
      s"SELECT /*+ WINDOW_JOIN('scalejoin') */ count(r.pad), count(s.pad) FROM ($rows) r JOIN " +
        s"($rows) s ON s.t BETWEEN r.t AND r.t + 1"
    )
    assert(df.collect().map(_.getLong(0)).toSeq == Seq(119999L))
  }
}
