package io.scalegate.spark.window

import io.scalegate.spark.window.partial.{PartialPanesExec, SharedPanesExec}
import io.scalegate.tags.Faults

/** Panes of one window that do not fit the task's memory, and more panes in all than fit. */
@Faults
final class PaneMemorySuite extends PaneAggregateSuite {
  override protected def settings: Map[String, String] = Map(
    "spark.testing.memory" -> (40L << 20).toString,
    "spark.testing.reservedMemory" -> "0"
  )

  private def texts(window: String, rows: Int, length: Int) =
    s"""SELECT window, id % 2 AS k, sum(length(t)) FROM (
       |  SELECT window, id, explode(list) AS t FROM (
       |    SELECT window(ts, $window) AS window, id % 2 AS id, collect_list(pad) AS list
       |    FROM (SELECT id, timestamp_seconds(id) AS ts, repeat(char(97 + id % 26), $length) AS pad
       |          FROM range(0, $rows, 1, 2)) GROUP BY 1, 2)) GROUP BY 1, 2""".stripMargin

  test("panes that do not fit end the query with an error that says what to change") {
    val e = intercept[Exception](
      spark.sql(texts("'4000 seconds', '40 seconds'", 4000, 20000)).collect()
    )
    val messages = causes(e).map(_.getMessage)
    assert(messages.exists(_.contains("partial results of one window do not fit")), messages)
  }

  test("more panes than memory in all, of windows that fit, are spilled") {
    val query = texts("'20 seconds', '5 seconds'", 40000, 1000)
    val df = spark.sql(query)
    assert(panes(df).size == 1)
    assert(df.collect().length == 2 * (8000 + 3))
  }

  test("partial results that do not fit are given as far as they are, and merged later") {
    val query = """SELECT window, k, count(*) AS n, sum(id) AS s
                  |FROM (SELECT id, id * 7919 % 70000 AS k, timestamp_seconds(id % 25) AS ts FROM range(0, 140000, 1, 2))
                  |GROUP BY window(ts, '10 seconds', '5 seconds'), k""".stripMargin
    val united = query.replace(
      ")\n",
      " UNION ALL SELECT id, id % 50000, timestamp_seconds(id % 30) FROM range(90000))\n"
    )
    for {
      (input, parts, generated) <- Seq((query, 1, "true"), (united, 2, "false"))
    } {
      def total = spark.sql(s"SELECT count(*), sum(n), sum(s * (1 + k % 13)) FROM ($input)")
      withSettings("spark.sql.codegen.wholeStage" -> generated) {
        val expected =
          withSettings("spark.sql.codegen.wholeStage" -> "true")(plainSpark(rowsOf(total)))
        val df = total
        assert(rowsOf(df) == expected)
        val flushes = collectWithSubqueries(executed(df)) {
          case p: PartialPanesExec if parts == 1 => p.metrics("flushes").value
          case p: SharedPanesExec => p.metrics("flushes").value
        }
        assert(flushes.sum > 0, generated)
        val partial = collectWithSubqueries(executed(df)) { case p: PartialPanesExec => p }
        assert(partial.size == parts && partial.forall(_.metrics("numOutputRows").value > 0))
      }
    }
  }
}
