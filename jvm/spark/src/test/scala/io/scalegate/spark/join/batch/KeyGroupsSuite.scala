package io.scalegate.spark.join.batch

import org.apache.spark.sql.execution.SortExec

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.settings.ScaleGateConf

/** Sweeps over keys with few rows, with as many as are just compared one by one, and with more, beside each other. With
  * `SCALEGATE_SOAK` all join types are tried on each condition; otherwise two, so that each comes up twice.
  */
final class KeyGroupsSuite extends SparkJoinSuite {
  override protected def settings: Map[String, String] =
    Map(ScaleGateConf.JoinAlgorithm -> "sweep", "spark.sql.shuffle.partitions" -> "2")

  /** Of key k there are 126 + k rows for k up to 5, and one or two of each other. */
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    for ((name, seed) <- Seq("p" -> 1, "q" -> 2)) {
      val many =
        "SELECT explode(sequence(1, 126 + k)) AS n, k FROM (SELECT id AS k FROM range(6))"
      val few = "SELECT id AS n, 10 + id DIV 2 AS k FROM range(31)"
      def drawn(i: Int, below: Int) = s"pmod(hash(n, k, $seed, $i), $below)"
      spark.sql(
        s"SELECT if(${drawn(1, 40)} = 0, NULL, k) AS k, n + 1000 * k AS id, " +
          s"if(${drawn(2, 30)} = 0, NULL, ${drawn(3, 400)}) AS a, " +
          s"CASE ${drawn(4, 25)} WHEN 0 THEN double('NaN') WHEN 1 THEN -0.0D WHEN 2 THEN NULL " +
          s"ELSE ${drawn(5, 40)} / 4 END AS x, date_add(DATE'2024-01-01', ${drawn(6, 60)}) AS d " +
          s"FROM ($many UNION ALL $few)"
      ).repartition(3).cache().createOrReplaceTempView(name)
    }
  }

  private val conditions = Seq(
    "p.k = q.k AND q.a BETWEEN p.a - 3 AND p.a + 5",
    "p.k = q.k AND abs(p.x - q.x) <= 0.25",
    "p.k = q.k AND abs(p.a - q.a) <= 40 AND abs(p.x - q.x) <= 1 AND p.id % 3 <> q.id % 3",
    "p.k = q.k AND q.d BETWEEN p.d AND date_add(p.d, 2)",
    "abs(p.a - q.a) <= 1"
  )

  for {
    (how, i) <-
      Seq("JOIN", "LEFT JOIN", "RIGHT JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN").zipWithIndex
    (condition, j) <- conditions.zipWithIndex if Sample.isSoak || (i + j) % 5 < 2
  } test(s"keys with few and with many rows: $how ON $condition") {
    val columns = if (how.startsWith("LEFT SEMI") || how.endsWith("ANTI JOIN")) "p.*" else "*"
    assertJoins(s"SELECT $columns FROM p $how q ON $condition")
  }

  test(
    "a few rows that are long are as many: they are sorted, and need no more memory than a sort"
  ) {
    val long = "SELECT k, id, a, repeat('x', 1500000) AS pad FROM p WHERE k >= 10"
    val query =
      s"SELECT p.id, q.id, length(q.pad) FROM p JOIN ($long) q ON p.k = q.k AND abs(p.a - q.a) <= 100"
    assertJoins(query)
  }

  test("any number of rows may be many") {
    for (above <- Seq("0", "1", "1000", "2147483647"))
      withSettings(ScaleGateConf.SweepAbove -> above) {
        assertJoins(s"SELECT p.id, q.id FROM p LEFT JOIN q ON ${conditions.head}")
      }
    val message = intercept[Exception](withSettings(ScaleGateConf.SweepAbove -> "-1") {
      spark.sql(s"SELECT p.id FROM p JOIN q ON ${conditions.head}").collect()
    }).getMessage
    assert(
      message.contains("spark.scalegate.join.sweepAbove must be a whole number of at least 0")
    )
  }

  test("the rows of a bucketed and sorted table are not sorted again") {
    withSettings("spark.sql.bucketing.coalesceBucketsInJoin.enabled" -> "false") {
      val warehouse = newDirectory().toString
      for (name <- Seq("p", "q"))
        spark.table(name).repartition(1).write.bucketBy(2, "k").sortBy("k")
          .option("path", s"$warehouse/$name").saveAsTable(s"sorted_$name")
      try {
        val query =
          "SELECT p.id, q.id FROM sorted_p p JOIN sorted_q q ON p.k = q.k AND abs(p.a - q.a) <= 9"
        val df = assertedJoin(query)
        withSettings("spark.sql.legacy.bucketedTableScan.outputOrdering" -> "true") {
          val again = spark.sql(query)
          assert(rowsOf(again) == rowsOf(df))
          assert(
            collect(executed(again)) { case s: SortExec => s }.isEmpty,
            s"${executed(again)}"
          )
        }
      } finally Seq("p", "q").foreach(n => spark.sql(s"DROP TABLE sorted_$n"))
    }
  }
}
