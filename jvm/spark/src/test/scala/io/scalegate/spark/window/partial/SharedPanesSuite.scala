package io.scalegate.spark.window.partial

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.NamedExpression

import io.scalegate.spark.window.PaneAggregateSuite

/** The parts of a union, of which a task takes several and has one table for all of them. */
final class SharedPanesSuite extends PaneAggregateSuite {
  private def shared(df: DataFrame): Seq[SharedPanesExec] =
    collectWithSubqueries(executed(df)) { case p: SharedPanesExec => p }

  /** Rows of so many partitions each. */
  private def union(partitions: Int*): String = partitions.map { n =>
    s"SELECT id, id % 7 AS k, timestamp_seconds(id % 50) AS ts FROM range(0, 1000, 1, $n)"
  }.mkString("(", " UNION ALL ", ")")

  private def windowed(from: String, functions: String = "count(*), sum(id)") =
    s"SELECT window, k, $functions FROM $from GROUP BY window(ts, '20 seconds', '5 seconds'), k"

  test("as many tasks as run at once, and no more of a part's partitions than one for each") {
    Seq(
      (Seq(1, 1, 1, 1), 2) -> 2,
      (Seq(2, 2), 2) -> 2,
      (Seq(3, 3), 2) -> 4,
      (Seq(1, 5), 4) -> 6,
      (Seq(1, 1), 16) -> 2,
      (Seq(100, 100), 8) -> 104,
      (Seq(1, 0), 4) -> 1,
      (Seq(0, 0), 4) -> 1
    ).foreach { case ((partitions, parallelism), tasks) =>
      assert(SharedPanesExec.tasks(partitions, parallelism) == tasks, (partitions, parallelism))
    }
  }

  test("every partition goes to one task, and those of one part to different ones") {
    val sc = spark.sparkContext
    val parts = Seq(3, 1, 5).map(n => sc.parallelize(1 to 100, n))
    val all = sc.union(parts)
    (1 to 12).foreach { tasks =>
      val dealt = DealtPartitions.coalesce(tasks, all).toSeq.map(_.partitions.map(_.index).toSeq)
      assert(dealt.size == math.min(tasks, 9))
      assert(dealt.flatten.sorted == (0 until 9))
      if (tasks >= 5)
        Seq(0 until 3, 3 until 4, 4 until 9).foreach { part =>
          assert(dealt.forall(_.count(part.contains) <= 1), tasks)
        }
    }
  }

  for (generated <- Seq("true", "false"))
    test(s"a key and a block are one row of each task; code generated: $generated") {
      withSettings("spark.sql.codegen.wholeStage" -> generated) {
        Seq(Seq(1, 1, 1, 1) -> 2, Seq(2, 2) -> 2, Seq(3, 1) -> 4).foreach {
          case (partitions, tasks) =>
            assertPanes(windowed(union(partitions: _*)))
            val df = spark.sql(windowed(union(partitions: _*)))
            df.collect()
            assert(shared(df).map(_.metrics("numOutputRows").value) == Seq(7L * tasks))
        }
        assertPanes(windowed(union(1, 2), "max(CAST(id AS STRING)), collect_set(k)"))
        assert(shared(spark.sql(windowed(union(1, 2), "max(CAST(id AS STRING))"))).isEmpty)
      }
    }

  test("windows of the windows of unions, each in a part of one") {
    def inner = s"SELECT window.start AS ts, k, count(*) AS id FROM ${union(1, 2)} " +
      "GROUP BY window(ts, '20 seconds', '5 seconds'), k"
    val query = windowed(s"($inner UNION ALL $inner)")
    assert(shared(spark.sql(query)).size == 3)
    assertPanes(query)
  }

  test("one exchange serves two queries of the same union") {
    val one = windowed(union(1, 1))
    val query = s"SELECT * FROM ($one) UNION ALL SELECT * FROM ($one)"
    assertPanes(query)
    withSettings("spark.sql.adaptive.enabled" -> "false") {
      assert(executed(spark.sql(query)).toString.contains("ReusedExchange"))
    }
  }

  test("a task that shares nothing says so") {
    val id = NamedExpression.newExprId
    val e = intercept[IllegalStateException](SharedPanes.find(id))
    assert(e.getMessage.contains(s"shares no partial results $id"))
  }
}
