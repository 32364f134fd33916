package io.scalegate.spark.bounds

import scala.collection.mutable

import org.apache.spark.sql.catalyst.optimizer.ComputeCurrentTime

import io.scalegate.spark.SparkJoinSuite

/** Conditions whose evaluation may end in an error, which Spark meets on fewer rows than a join that bounds them. */
final class MayThrowSuite extends SparkJoinSuite {
  override protected def settings: Map[String, String] = SmallTables

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql(
      """CREATE OR REPLACE TEMP VIEW readings AS SELECT * FROM VALUES
        | (1, 1, 'number', '10', 4D), (2, 1, 'number', '17', 0D), (3, 2, 'text', 'n/a', 2D),
        | (4, 3, 'alone', 'none', 0D), (5, 1, 'number', NULL, 1D), (6, 4, 'number', '99999999999', 1D)
        | AS t(id, k, typ, val, y)""".stripMargin
    )
    spark.sql(
      """CREATE OR REPLACE TEMP VIEW ranges AS SELECT * FROM VALUES
        | (1, 1, 'number', 8, 12), (2, 1, 'number', 16, 20), (3, 5, 'alone too', 0, 1),
        | (4, 6, 'number', 9, 11) AS t(id, k, typ, lo, hi)""".stripMargin
    )
    ()
  }

  /** No `BETWEEN` of a sum: Spark evaluates its first operand once for each row, below the join. */
  private val conditions = Seq(
    "e.typ = r.typ AND e.k = r.k AND CAST(e.val AS INT) >= r.lo - 3 AND CAST(e.val AS INT) <= r.lo + 3",
    "e.k = r.k AND r.lo <= CAST(e.val AS INT) AND CAST(e.val AS INT) <= r.hi",
    "e.k = r.k AND e.y > 0 AND 8 / e.y >= r.lo - 7 AND 8 / e.y <= r.lo + 7",
    "e.k + 1 < r.k AND e.y > 3 AND CAST(e.val AS INT) >= r.lo - 3 AND CAST(e.val AS INT) <= r.lo + 3"
  )

  /** Plain Spark's rows of each query, whatever the algorithm. */
  private val answers = mutable.Map.empty[String, Seq[String]]

  for {
    condition <- conditions
    how <- Seq("INNER", "LEFT", "FULL")
    algorithm <- Seq("broadcast", "index", "sweep")
    isOverlap = condition.contains("r.hi") || condition.contains("/")
    hasKeys = condition.contains("e.k = r.k")
    if how != "FULL" || (hasKeys && algorithm == "index")
    if !(isOverlap && algorithm == "sweep")
  } test(s"an error that Spark does not meet is not met: $how JOIN by $algorithm on $condition") {
    val right = if (how.startsWith("LEFT ")) "" else ", r.id"
    def query(hint: String) =
      s"SELECT $hint e.id$right FROM readings e $how JOIN ranges r ON $condition"
    val expected = answers.getOrElseUpdate(query(""), plainSpark(rowsOf(spark.sql(query("")))))
    val df = spark.sql(query(s"/*+ WINDOW_JOIN('$algorithm') */"))
    assert(rowsOf(df) == expected)
    assert(windowJoins(df).nonEmpty)
  }

  test("what may throw is known") {
    // Before it plans a join Spark puts the query's time where it is asked for; 4.0 cannot evaluate it elsewhere.
    def isKnown(text: String, from: String = "r") = {
      val analyzed = spark.sql(s"SELECT $text FROM $from").queryExecution.analyzed
      MayThrow(ComputeCurrentTime(analyzed).expressions.head)
    }
    val total = Seq(
      "i",
      "f + x",
      "m * 2",
      "x / 2",
      "i % 7",
      "CAST(i AS BIGINT)",
      "CAST(l AS DOUBLE)",
      "try_cast(name AS INT)",
      "unix_micros(ts)",
      "datediff(d, current_date())",
      "CASE WHEN i > 0 THEN l ELSE 0 END"
    )
    val partial = Seq(
      "i + 1",
      "-l",
      "abs(i)",
      "x / f",
      "CAST(name AS INT)",
      "CAST(x AS INT)",
      "CAST(d AS TIMESTAMP)",
      "ts + INTERVAL 1 DAY",
      "unix_timestamp(name)"
    )
    total.foreach(t => assert(!isKnown(t), t))
    partial.foreach(t => assert(isKnown(t), t))
  }

  test("an attempt is not shared with what is evaluated outside of it") {
    withSettings("spark.sql.codegen.factoryMode" -> "CODEGEN_ONLY") {
      val condition = "e.k = r.k AND CAST(e.val AS INT) >= r.lo - 3 AND " +
        "CAST(e.val AS INT) <= r.lo + 3 AND CAST(e.val AS INT) * 2 >= r.hi - 30 AND " +
        "CAST(e.val AS INT) * 2 <= r.hi + 30"
      val query = s"SELECT e.id, r.id FROM readings e LEFT JOIN ranges r ON $condition"
      val expected = plainSpark(rowsOf(spark.sql(query)))
      val df = spark.sql(query.replace("SELECT", "SELECT /*+ WINDOW_JOIN */"))
      assert(rowsOf(df) == expected)
    }
  }
}
