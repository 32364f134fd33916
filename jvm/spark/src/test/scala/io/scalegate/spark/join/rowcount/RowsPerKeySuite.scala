package io.scalegate.spark.join.rowcount

import org.apache.spark.sql.DataFrame

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.join.explain.JoinReport

/** Row-count windows of each key against their definition by plain Spark's window functions. With `SCALEGATE_SOAK` each
  * join is tried with all windows; otherwise with one, by turns.
  */
final class RowsPerKeySuite extends SparkJoinSuite {

  /** @param left
    *   the keys over columns of `r`, as `right` are over those of `s`
    * @param common
    *   the type that both are of when they are compared
    */
  private case class Keys(left: Seq[String], right: Seq[String], common: Seq[String])

  private val keys = Seq(
    "an integer" -> Keys(Seq("k"), Seq("k"), Seq("INT")),
    "two columns" -> Keys(Seq("k", "name"), Seq("k", "name"), Seq("INT", "STRING")),
    "numbers with NaN and two zeros" -> Keys(Seq("x"), Seq("x"), Seq("DOUBLE")),
    "decimals of two scales" ->
      Keys(
        Seq("CAST(k AS DECIMAL(5, 1))"),
        Seq("CAST(k AS DECIMAL(7, 3))"),
        Seq("DECIMAL(9, 3)")
      ),
    "an integer and a number" -> Keys(Seq("k"), Seq("CAST(k AS DOUBLE)"), Seq("DOUBLE")),
    "texts that a collation takes for the same" -> Keys(
      Seq("(if(id % 2 = 0, 'a', 'A') || k) COLLATE UTF8_LCASE"),
      Seq("(if(id % 3 = 0, 'a', 'A') || k) COLLATE UTF8_LCASE"),
      Seq("STRING COLLATE UTF8_LCASE")
    ),
    "a struct" -> Keys(
      Seq("struct(k, x)"),
      Seq("struct(k, x)"),
      Seq("STRUCT<a: INT, b: DOUBLE>")
    )
  )

  private val types = Seq("INNER", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI")

  private def columns(how: String) = if (how.startsWith("LEFT ")) "l.id" else "l.id, r.id"

  private def planned(df: DataFrame): Seq[RowsPerKeyJoinExec] =
    collect(executed(df)) { case w: RowsPerKeyJoinExec => w }

  private def named(keys: Seq[String]) =
    keys.zipWithIndex.map { case (key, i) => s"$key AS key$i" }.mkString(", ")

  private def ours(
      how: String,
      by: Keys,
      time: String,
      rows: (Int, Int),
      more: String,
      tables: (String, String) = ("r", "s")
  ): DataFrame = {
    val args = by.left.indices.map(i => s", l.key$i, r.key$i").mkString
    val n = if (rows._1 == rows._2) rows._1.toString else s"array(${rows._1}, ${rows._2})"
    spark.sql(
      s"SELECT ${columns(how)} FROM (SELECT *, ${named(by.left)} FROM ${tables._1}) l $how JOIN " +
        s"(SELECT *, ${named(by.right)} FROM ${tables._2}) r ON within_rows(l.$time, r.$time, $n$args) AND $more"
    )
  }

  /** The places of the rows in the order of both sides' rows of a key are counted. */
  private def definition(
      how: String,
      by: Keys,
      time: String,
      rows: (Int, Int),
      more: String
  ) = {
    def keysOf(keys: Seq[String]) =
      keys.zip(by.common).zipWithIndex.map { case ((key, common), i) =>
        s"CAST($key AS $common) AS key$i"
      }.mkString(", ")
    val all = s"SELECT 0 AS side, *, ${keysOf(by.left)} FROM r UNION ALL " +
      s"SELECT 1 AS side, *, ${keysOf(by.right)} FROM s"
    val names = by.left.indices.map(i => s"key$i")
    val over =
      s"OVER (PARTITION BY ${names.mkString(", ")} ORDER BY $time, side, id ROWS UNBOUNDED PRECEDING)"
    def placed(side: Int) =
      s"(SELECT * FROM (SELECT *, count_if(side = 0 AND $time IS NOT NULL) $over AS ls, " +
        s"count_if(side = 1 AND $time IS NOT NULL) $over AS rs FROM ($all)) WHERE side = $side)"
    val same = names.map(k => s"l.$k = r.$k AND ").mkString
    s"SELECT ${columns(how)} FROM ${placed(0)} l $how JOIN ${placed(1)} r ON $same" +
      s"l.$time IS NOT NULL AND r.$time IS NOT NULL AND ((r.rs <= l.rs AND r.rs > l.rs - ${rows._2}) OR " +
      s"(l.ls <= r.ls AND l.ls > r.ls - ${rows._1})) AND $more"
  }

  for {
    ((name, by), i) <- keys.zipWithIndex
    (how, j) <- (if (name == "an integer") types else Seq("FULL")).zipWithIndex
  }
    test(s"a $how join over the last rows of a key that is $name gives the definition's rows") {
      for (
        (rows, time, more) <- Sample.turn(
          Seq(
            ((3, 3), "l", "abs(l.i - r.i) <= 20"),
            ((0, 2), "ts", "true"),
            ((50, 1), "ts", "l.h < r.h")
          ),
          i + j
        )
      ) {
        val df = ours(how, by, time, rows, more)
        val expected = plainSpark(rowsOf(spark.sql(definition(how, by, time, rows, more))))
        assert(rowsOf(df) == expected, s"$rows by $time")
        assert(planned(df).size == 1 && (expected.nonEmpty || how == "LEFT SEMI"))
      }
    }

  test("the order of arrival, the partitions and adaptive execution change nothing") {
    val by = keys.head._2
    val reference = rowsOf(ours("FULL", by, "l", (2, 2), "l.i <> r.i"))
    for {
      ((parts, seed), i) <- Seq(1 -> 3, 7 -> 4).zipWithIndex
      adaptive <- Sample.turn(Seq("true", "false"), i)
    }
      withSettings(
        "spark.sql.shuffle.partitions" -> parts.toString,
        "spark.sql.adaptive.enabled" -> adaptive
      ) {
        Seq("r", "s").foreach { t =>
          spark.sql(s"SELECT * FROM $t ORDER BY hash(id + $seed)").repartition(parts)
            .createOrReplaceTempView(s"${t}_moved")
        }
        val moved = ours("FULL", by, "l", (2, 2), "l.i <> r.i", ("r_moved", "s_moved"))
        assert(rowsOf(moved) == reference, s"$parts partitions, adaptive: $adaptive")
      }
  }

  test("keys are joined by as many tasks as there are partitions") {
    withSettings("spark.sql.adaptive.enabled" -> "false") {
      val df = ours("INNER", keys.head._2, "ts", (3, 3), "true").where("l.id >= 0")
      val tasks = df.selectExpr("spark_partition_id()").distinct().count()
      assert(planned(df).head.outputPartitioning.numPartitions == 3 && tasks > 1)
    }
  }

  test("rows of one time are in the order of all columns, whatever is selected") {
    val rows =
      "SELECT 100 - id AS first, id, id % 2 AS k, timestamp_seconds(id div 8) AS ts FROM range(0, 64)"
    def joined(columns: String) = spark.sql(
      s"SELECT $columns FROM ($rows) a JOIN ($rows) b ON within_rows(a.ts, b.ts, 3, a.k, b.k)"
    )
    val ofAll = joined("*").collect().map(row => s"[${row.get(1)},${row.get(5)}]").toSeq.sorted
    assert(rowsOf(joined("a.id, b.id")) == ofAll && ofAll.nonEmpty)
  }

  test("an equality beside a window of rows keeps its meaning") {
    val beside =
      spark.sql("SELECT l.id, r.id FROM r l JOIN s r ON within_rows(l.ts, r.ts, 2) AND l.k = r.k")
    val perKey = ours("INNER", keys.head._2, "ts", (2, 2), "true")
    assert(planned(beside).isEmpty && rowsOf(beside).size < rowsOf(perKey).size)
  }

  test("EXPLAIN and the report say that the rows of a key count") {
    val df = ours("LEFT", keys.head._2, "ts", (2, 2), "l.i < r.i")
    val text = planned(df).head.description
    assert(text.contains("keys: l.key0 = r.key0; window: last 2 rows of the key by l.ts, r.ts"))
    assert(text.contains("algorithm: each key's last rows over sorted inputs"))
    assert(JoinReport.lines(df) ==
      Seq("LEFT OUTER join over a window of rows per key: run by scalegate"))
  }

  private def fails(query: String): String =
    intercept[Exception](spark.sql(query).collect()).getMessage

  test("keys that are not one of each side, or cannot be compared, are refused") {
    def joined(window: String) = s"SELECT l.id FROM r l JOIN s r ON $window"
    assert(fails(joined("within_rows(l.ts, r.ts, 2, l.k, r.k, l.name)")).contains("given 6"))
    assert(
      fails(joined("within_rows(l.ts, r.ts, 2, l.k, l.i)")).contains("two columns of each key")
    )
    assert(fails(joined("within_rows(l.ts, r.ts, 2, l.k)")).contains(
      "within_rows(l.ts, r.ts, 10, l.k, r.k)"
    ))
    assert(fails(joined("within_rows(l.ts, r.ts, 0, l.k, r.k)")).contains("at least 1"))
    assert(fails(joined("within_rows(l.ts, r.ts, 2, map(l.k, 1), map(r.k, 1))")).contains("MAP"))
    assert(fails(joined("within_rows(l.ts, r.ts, 2, make_interval(l.k), make_interval(r.k))"))
      .contains("does not support ordering on type \"INTERVAL\""))
  }
}
