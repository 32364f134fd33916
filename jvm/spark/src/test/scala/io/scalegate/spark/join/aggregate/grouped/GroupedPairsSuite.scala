package io.scalegate.spark.join.aggregate.grouped

import io.scalegate.Sample
import io.scalegate.spark.join.aggregate.AggregateQueries
import io.scalegate.spark.settings.ScaleGateConf

/** `GROUP BY` columns of the left side over a join by keys and an interval, against plain Spark, which makes the pairs.
  * With `SCALEGATE_SOAK` both kinds of joins are grouped by all columns, and the rows of all that is left to Spark are
  * looked at; otherwise by turns.
  */
final class GroupedPairsSuite extends AggregateQueries {
  override protected def settings: Map[String, String] =
    super.settings + (ScaleGateConf.GroupKeyedJoins -> "true")

  private val near = "o.k = q.k AND q.ts BETWEEN o.ts - INTERVAL 3 HOURS AND o.ts"
  private val functions =
    "count(*) AS n, count(q.i) AS ni, sum(q.i) AS s, avg(q.i) AS a, min(q.m) AS low, max(q.ts) AS last, sum(q.m) AS sm, " +
      "max(o.i) AS own"

  for {
    (key, i) <- Seq("o.id", "o.k", "o.k, o.name", "o.k + 1, date(o.ts)").zipWithIndex
    how <- if (i == 0) Seq("JOIN", "LEFT JOIN") else Sample.turn(Seq("JOIN", "LEFT JOIN"), i)
  } test(s"$how by $key") {
    assertAggregates(s"SELECT $key, $functions FROM r o $how s q ON $near GROUP BY $key")
  }

  test("without an equality key, and written with a comma") {
    assertAggregates(
      "SELECT o.id, count(*), sum(q.i) FROM r o, s q WHERE q.ts BETWEEN o.ts - INTERVAL 20 MINUTES AND o.ts " +
        "AND q.i > 1 AND o.k < 4 GROUP BY o.id"
    )
  }

  test("filters, expressions over functions, conditions above and below") {
    assertAggregates(
      s"SELECT o.id + 1 AS up, 2 * sum(q.i) - count(*) AS v, count(*) FILTER (WHERE q.i > 2) AS big FROM r o JOIN s q " +
        s"ON $near AND q.name <> 'a' GROUP BY o.id HAVING count(*) > 1 ORDER BY v DESC, up LIMIT 5"
    )
    assertAggregates(
      s"SELECT id, n FROM (SELECT o.id, o.i + 1 AS j, q.i AS i FROM r o JOIN s q ON $near WHERE o.id > 3) x " +
        "JOIN LATERAL (SELECT 1 AS one) JOIN (SELECT 1 AS n) GROUP BY id, n",
      nodes = 0
    )
    assertAggregates(
      s"SELECT x.id, x.j, sum(x.i) FROM (SELECT o.id, o.i + 1 AS j, q.i + 1 AS i FROM r o JOIN s q ON $near) x " +
        "WHERE x.id > 3 GROUP BY x.id, x.j"
    )
  }

  test("right conditions of a left join, and left ones above it") {
    assertAggregates(
      s"SELECT o.id, count(*), count(q.i), max(q.i) FROM r o LEFT JOIN s q ON $near AND q.i > 2 WHERE o.id % 2 = 0 " +
        "GROUP BY o.id"
    )
  }

  test("what is left to Spark gives Spark's rows") {
    assertLeftAsIs(
      Seq(
        s"SELECT o.id, count(DISTINCT q.i) FROM r o JOIN s q ON $near GROUP BY o.id",
        s"SELECT o.id, sum(q.i - o.i) FROM r o JOIN s q ON $near GROUP BY o.id",
        s"SELECT o.id, sum(o.i) FROM r o JOIN s q ON $near GROUP BY o.id",
        s"SELECT o.id, q.name, count(*) FROM r o JOIN s q ON $near GROUP BY o.id, q.name",
        s"SELECT o.id, count(*) FROM r o JOIN s q ON $near AND o.i < q.i GROUP BY o.id",
        s"SELECT o.id, count(*) FROM r o LEFT JOIN s q ON $near AND o.i > 2 GROUP BY o.id",
        s"SELECT o.id, sum(coalesce(q.i, 1)) FROM r o LEFT JOIN s q ON $near GROUP BY o.id",
        s"SELECT o.id, count(*) FROM r o LEFT JOIN s q ON $near WHERE q.i IS NULL GROUP BY o.id",
        s"SELECT o.id, count(*) FROM r o RIGHT JOIN s q ON $near GROUP BY o.id",
        s"SELECT /*+ WINDOW_JOIN('sweep') */ o.id, count(*) FROM r o JOIN s q ON $near GROUP BY o.id",
        s"SELECT o.id, array_sort(collect_list(q.i)) FROM r o JOIN s q ON $near GROUP BY o.id",
        s"SELECT o.id, count(*) FROM r o JOIN s q ON $near GROUP BY ROLLUP(o.id)"
      )
    )
  }

  test("joins by keys are left as they are unless a setting says so") {
    withSettings(ScaleGateConf.GroupKeyedJoins -> "false") {
      assertAggregates(
        s"SELECT o.id, count(*) FROM r o JOIN s q ON $near GROUP BY o.id",
        nodes = 0
      )
      assertAggregates(
        s"SELECT o.id, count(*) FROM r o JOIN s q ON ${near.replace("o.k = q.k AND ", "")} GROUP BY o.id"
      )
    }
  }

  test("a side that is small enough to be broadcast is joined") {
    val query =
      "SELECT o.id, count(*) FROM range(50) o JOIN range(60) q ON o.id % 3 = q.id % 3 AND " +
        "q.id BETWEEN o.id - 5 AND o.id GROUP BY o.id"
    assertAggregates(query)
    withSettings("spark.sql.autoBroadcastJoinThreshold" -> "10MB")(assertAggregates(
      query,
      nodes = 0
    ))
  }
}
