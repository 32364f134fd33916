package io.scalegate.spark.window.design

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, count, sum, window}

import io.scalegate.Sample
import io.scalegate.spark.settings.{OperatorOption, ScaleGateConf, WindowDesign}
import io.scalegate.spark.window.PaneAggregateSuite

/** Aggregates over sliding windows by the designs of the paper on T-Gate and W-Hive, beside plain Spark's. With
  * `SCALEGATE_SOAK` each query is run by each design with options and without; otherwise by turns.
  */
final class DesignWindowsSuite extends PaneAggregateSuite {
  private def nodes(df: DataFrame): Seq[DesignWindowsExec] =
    collectWithSubqueries(executed(df)) { case d: DesignWindowsExec => d }

  private def query(design: String, aggregates: String, more: String, by: String): String =
    s"SELECT /*+ WINDOW_DESIGN('$design') */ $aggregates FROM r $more GROUP BY $by"

  private def assertDesigned(query: String): DataFrame =
    assertPlanned(query)(nodes(_).size == 1)

  private val Window = "window(ts, '7 hours', '2 hours')"

  private val aggregates = Seq(
    ("keys", "window, k, count(*), sum(i), min(l), max(d)", "", s"$Window, k"),
    ("no key", "window, count(*), avg(i), count(x)", "", Window),
    (
      "an offset, a filter of a function and of rows",
      "window, k, sum(i) FILTER (WHERE i > 3)",
      "WHERE id % 7 <> 2",
      "window(ts, '3 hours', '1 hour', '20 minutes'), k"
    ),
    (
      "keys of floating-point numbers and of text, results over functions",
      "window.end AS e, name, x > 5 AS b, 2 * sum(i) + 1 AS s",
      "",
      "window(ts, '1 day', '5 hours'), name, x > 5"
    ),
    ("values by time", "window, k, first_by_time(i, ts), last_by_time(l, ts)", "", s"$Window, k"),
    (
      "conditions on windows and groups",
      "window, k, count(*) AS n",
      "",
      s"$Window, k HAVING count(*) > 2 AND hour(window.start) > 5 AND k < 4"
    )
  )

  for {
    (design, i) <- WindowDesign.all.zipWithIndex
    ((what, columns, more, by), j) <- aggregates.zipWithIndex
  } test(s"${design.title}: $what") {
    val takesThreads = design.takes.contains(OperatorOption.Threads)
    val options = s"inputs=3${if (takesThreads) ", threads=2" else ""}"
    for (hint <- Sample.turn(Seq(design.name, s"${design.name}($options)"), i + j)) {
      val df = assertDesigned(query(hint, columns, more, by))
      assert(executed(df).toString.contains(s"design: ${design.title} ($hint)"))
    }
  }

  for (design <- WindowDesign.all)
    test(s"${design.title} on panes") {
      assertDesigned(query(
        s"${design.name}(panes=true, inputs=2)",
        "window, k, sum(i)",
        "",
        s"$Window, k"
      ))
    }

  for ((what, columns, more, by) <- aggregates.take(3))
    test(s"WiML on Michael's winsets: $what") {
      val hint = "wiml(inputs=3, winset=michael)"
      val df = assertDesigned(query(hint, columns, more, by))
      assert(executed(df).toString.contains(s"design: WiML ($hint)"))
    }

  for (hint <- Seq("wiml(inputs=3, shortcuts=true)", "tumlmc(threads=2, shortcuts=true)"))
    test(s"windows in a skip list: $hint") {
      val df = assertDesigned(query(hint, "window, k, count(*), max(i)", "", s"$Window, k"))
      assert(executed(df).toString.contains(hint))
    }

  for (design <- WindowDesign.all)
    test(s"${design.title}: more rows at one time than may wait hold nothing back") {
      val rows = spark.range(0, 60000, 1, 1)
        .selectExpr("timestamp_seconds(10 * (id DIV 20000)) AS ts")
        .hint("window_design", s"${design.name}(inputs=2)")
      val df = rows.groupBy(window(col("ts"), "20 seconds", "10 seconds")).agg(count("*"))
      assert(nodes(df).size == 1)
      assert(df.collect().map(_.getLong(1)).sorted.toSeq == Seq(20000, 20000, 40000, 40000))
    }

  test("a hint on a frame, seen through filters and columns") {
    def frame(df: DataFrame) =
      df.select("ts", "k", "i").where("k > 1")
        .groupBy(window(col("ts"), "6 hours", "2 hours"))
        .agg(count("*"), sum("i"))
    val df = frame(spark.table("r").hint("window_design", "WiML(inputs=2)"))
    assert(nodes(df).map(_.design.toString) == Seq("wiml(inputs=2)"))
    assert(rowsOf(df) == rowsOf(frame(spark.table("r"))))
  }

  test("a hint on a frame that is grouped itself is about what the frame goes into") {
    def asked(hint: String*) = {
      val grouped = spark.table("r").groupBy("ts").agg(sum("i").as("i"))
      val frame = if (hint.isEmpty) grouped else grouped.hint(hint.head, hint.tail: _*)
      frame.groupBy(window(col("ts"), "20 minutes", "5 minutes")).agg(sum("i"))
    }
    assert(nodes(asked("WINDOW_DESIGN", "wiml")).size == 1)
    assert(rowsOf(asked("WINDOW_DESIGN", "wiml")) == plainSpark(rowsOf(asked())))
  }

  test("windows that slide by nearly their size are run by a design, too") {
    assertDesigned(query("wiml", "window, count(*)", "", "window(ts, '3 hours', '2 hours')"))
  }

  for {
    (what, asked, columns, by, why) <- Seq(
      ("no such design", "tgate", "count(*)", Window, "names no design of the papers"),
      (
        "an option that it has not",
        "mq(threads=2)",
        "count(*)",
        Window,
        "has no option 'threads'"
      ),
      ("a value that is none", "mq(inputs=0)", "count(*)", Window, "inputs is a whole number"),
      ("no windows", "mq", "k, count(*)", "k", "no aggregate over sliding windows"),
      ("tumbling windows", "mq", "count(*)", "window(ts, '1 hour')", "no aggregate over sliding"),
      ("distinct values", "mq", "count(DISTINCT k)", Window, "partial results do not merge"),
      ("lists", "mq", "collect_list(k)", Window, "a value of fixed size for each window")
    )
  } test(s"a design is refused with $what") {
    val refusal = intercept[IllegalArgumentException] {
      spark.sql(query(asked, columns, "", by)).collect()
    }
    assert(refusal.getMessage.contains(why))
  }

  test("a design is refused without its name in quotes") {
    for (arguments <- Seq("", "(wiml)", "('mq', 'mqlf')")) {
      val refusal = intercept[Exception] {
        spark.sql(s"SELECT /*+ WINDOW_DESIGN$arguments */ count(*) FROM r GROUP BY $Window")
      }
      assert(refusal.getMessage.contains("WINDOW_DESIGN takes the quoted name of one design"))
    }
  }

  test("the setting names a design for the aggregates that it can run") {
    def windows(columns: String) = spark.sql(s"SELECT window, $columns FROM r GROUP BY $Window")
    withSettings(ScaleGateConf.Design -> "TuMLMC(threads=2)") {
      assert(nodes(windows("sum(i)")).map(_.design.toString) == Seq("tumlmc(threads=2)"))
      assert(nodes(windows("collect_list(i)")).isEmpty)
      assert(nodes(windows("count(DISTINCT i)")).isEmpty)
      val hinted = spark.sql(query("mq", "count(*)", "", Window))
      assert(nodes(hinted).map(_.design.toString) == Seq("mq"))
    }
    withSettings(ScaleGateConf.Design -> "tgate") {
      val refusal = intercept[IllegalArgumentException](windows("sum(i)").collect())
      assert(refusal.getMessage.contains("must be none or one of mq, mqlf"))
    }
  }

  test("the package that is switched off takes no notice of the hint") {
    withSettings(ScaleGateConf.Enabled -> "false") {
      assert(nodes(spark.sql(query("mq", "count(*)", "", Window))).isEmpty)
    }
  }
}
