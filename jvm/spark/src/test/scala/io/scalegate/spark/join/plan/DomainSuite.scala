package io.scalegate.spark.join.plan

import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.join.batch.{SliceBy, SliceExec}
import io.scalegate.spark.settings.ScaleGateConf

/** Joins of intervals, and of points in intervals, of large inputs without a key: their rows meet in parts of the line
  * that they lie on. Against plain Spark, with intervals that end before they start, NULLs, and ends on cuts.
  */
final class DomainSuite extends SparkJoinSuite {
  override protected def settings: Map[String, String] =
    Map(
      "spark.sql.shuffle.partitions" -> "7",
      "spark.sql.autoBroadcastJoinThreshold" -> "-1",
      "spark.sql.adaptive.autoBroadcastJoinThreshold" -> "-1"
    )

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    // What is cached may be read twice.
    Seq("r", "s").foreach(table => spark.table(table).cache().count())
  }

  private val overlaps = Seq(
    "r.l <= s.l + s.k AND s.l <= r.l + r.k",
    "r.i < s.i + s.k AND s.i <= r.i + r.k AND r.x > s.x",
    "r.ts <= s.ts + make_dt_interval(0, s.k) AND s.ts < r.ts + make_dt_interval(0, 0, r.k)",
    "r.d <= date_add(s.d, s.k) AND s.d <= date_add(r.d, r.k)",
    "r.m <= s.m + 0.5 * s.k AND s.m <= r.m + r.k"
  )

  private val points = Seq(
    "LEFT" -> "r.l BETWEEN s.l AND s.l + s.k",
    "LEFT SEMI" -> "r.ts BETWEEN s.ts AND s.ts + make_dt_interval(0, s.k) AND r.name <> s.name",
    "LEFT ANTI" -> "r.i > s.i AND r.i <= s.i + s.k",
    "RIGHT" -> "s.d BETWEEN r.d AND date_add(r.d, r.k)",
    "" -> "r.h BETWEEN s.i AND s.l"
  )

  private def query(condition: String, how: String = ""): String = {
    val columns = if (how.startsWith("LEFT ")) "r.id" else "r.id, s.id"
    s"SELECT $columns FROM r $how JOIN s ON $condition"
  }

  private def parts(text: String): Seq[SliceExec] = {
    val df = assertedJoin(text)
    assert(windowJoins(df).exists(_.description.contains("parts of the line")), text)
    collect(executed(df)) { case s: SliceExec => s }
  }

  for (condition <- overlaps)
    test(s"intervals that overlap: $condition") {
      assert(parts(query(condition)).map(_.by).forall(_.isInstanceOf[SliceBy.Domain]))
    }

  for ((how, condition) <- points)
    test(s"points in intervals: $how $condition") {
      val copied = parts(query(condition, how)).map(s => s.by.isCopied(s.side))
      assert(copied.sorted == Seq(false, true), "each point lies in one part")
    }

  test("a pair of intervals that reach through several parts is found once") {
    val wide = "r.l <= s.l + 3 + s.k AND s.l <= r.l + 2 + r.k AND (r.id + s.id) % 3 = 0"
    val copies = parts(query(wide)).map(_.metrics("numOutputRows").value).sum
    val usable = Seq("r", "s").map(t =>
      spark.sql(s"SELECT count(l + k) FROM $t").head().getLong(0)
    )
    assert(copies > usable.sum)
  }

  test(
    "intervals that joins, window functions and unions make: parts of the line where the tables' rows lie"
  ) {
    val next =
      "(SELECT id, l, lead(l, 1, l + 2) OVER (PARTITION BY k ORDER BY l) AS e FROM r WHERE id % 5 = 0)"
    val joined =
      "(SELECT s.id, s.l, s.k FROM s JOIN (SELECT DISTINCT name FROM r) n ON s.name <=> n.name)"
    val both = "(SELECT id, l, k FROM s UNION ALL SELECT -id, l + 1, k FROM r)"
    for (right <- Seq(joined, both))
      parts(s"SELECT r.id, s.id FROM $next r JOIN $right s ON r.l <= s.l + s.k AND s.l <= r.e")
  }

  test("large inputs with few keys are indexed, and those with many are left to Spark") {
    for (how <- Seq("", "LEFT", "FULL")) {
      val text = query("r.k = s.k AND r.i <= s.l AND s.i <= r.l", how)
      val df = spark.sql(text)
      assert(rowsOf(df) == plainSpark(rowsOf(spark.sql(text))))
      assert(windowJoins(df).head.description.contains("its keys are few for so many rows"))
    }
    val ofMany = spark.sql(query("r.id = s.id AND r.i <= s.l AND s.i <= r.l"))
    ofMany.collect()
    assert(windowJoins(ofMany) == Nil)
  }

  test(
    "a matrix where intervals are so long that it copies fewer rows, and where it is asked for"
  ) {
    def described(text: String) = windowJoins(assertedJoin(text)).head.description
    val long = "r.l <= s.l + 1000 * s.k AND s.l <= r.l + 1000 + r.k AND r.id < s.id"
    for (condition <- Seq(long, "r.i <= s.l AND s.i <= r.l"))
      assert(described(query(condition)).contains("matrix of"))
    val asked = query(overlaps.head).replace("SELECT", "SELECT /*+ WINDOW_JOIN('matrix') */")
    assert(described(asked).contains("matrix of"))
    withSettings(ScaleGateConf.JoinLayout -> "2x2")(
      assert(described(query(overlaps.head)).contains("matrix of 2 x 2"))
    )
    // Rows of intervals would be decided in several parts.
    assert(described(query(overlaps.head, "LEFT")).contains("matrix of"))
    withSettings("spark.scalegate.join.sampleRows" -> "0")(
      assert(described(query(overlaps.head)).contains("matrix of"))
    )
  }
}
