package io.scalegate.spark.plan

import org.apache.spark.sql.catalyst.plans.logical.{
  Filter,
  Generate,
  LeafNode,
  LogicalPlan,
  Project,
  Union
}
import org.apache.spark.sql.{DataFrame, Row}

import io.scalegate.spark.SparkJoinSuite

/** Where columns come from, of optimized plans: read there, they have values that the plan's own rows have. */
final class ColumnLineageSuite extends SparkJoinSuite {

  private[this] def lineage(df: DataFrame): Option[LogicalPlan] = {
    val plan = df.queryExecution.optimizedPlan
    ColumnLineage.of(plan, plan.output)
  }

  /** What is read in place of the query: tables alone, and no more than the rows that are there. */
  private[this] def read(query: String): Seq[Row] = {
    val plan = lineage(spark.sql(query)).getOrElse(fail(s"nothing is read of: $query"))
    val others = plan.collect {
      case p if !isRead(p) => p
    }
    assert(others == Nil)
    rowsOf(plan)
  }

  private[this] def isRead(plan: LogicalPlan): Boolean = plan match {
    case _: Project | _: Filter | _: Generate | _: Union | _: LeafNode => true
    case _ => false
  }

  private[this] def rowsOf(plan: LogicalPlan): Seq[Row] =
    spark.sessionState.executePlan(plan).executedPlan.executeCollectPublic().toSeq

  /** With these rows, in any order. */
  private[this] def assertReads(query: String, rows: String): Unit =
    assert(
      read(query).map(_.toString).sorted == spark.sql(rows).collect().map(_.toString).sorted.toSeq,
      query
    )

  for (
    (name, query, rows) <- Seq(
      ("a table", "SELECT ts FROM r", "SELECT ts FROM r"),
      ("terms and filters", "SELECT l + 1 FROM r WHERE k > 2", "SELECT l + 1 FROM r WHERE k > 2"),
      (
        "of a join, the side's",
        "SELECT r.ts, r.l FROM r JOIN s ON r.id = s.id WHERE r.k > 2 AND r.x > s.x",
        "SELECT ts, l FROM r WHERE k > 2 AND id IS NOT NULL AND x IS NOT NULL"
      ),
      (
        "of a group, all of its rows'",
        "SELECT max(l) FROM s WHERE k > 1 GROUP BY name HAVING count(*) > 1",
        "SELECT l FROM s WHERE k > 1"
      ),
      ("of distinct rows, all", "SELECT DISTINCT k FROM r", "SELECT k FROM r"),
      (
        "of a window function, the column that it takes",
        "SELECT l, lead(l) OVER (PARTITION BY k ORDER BY id) FROM r",
        "SELECT l, l FROM r"
      ),
      (
        "of a union, each input's",
        "SELECT l FROM r WHERE k = 1 UNION ALL SELECT l + id FROM s",
        "SELECT l FROM r WHERE k = 1 UNION ALL SELECT l + id FROM s"
      ),
      (
        "of rows made of an array",
        "SELECT e FROM r LATERAL VIEW explode(array(l, l + 1)) AS e WHERE k = 1",
        "SELECT l FROM r WHERE k = 1 UNION ALL SELECT l + 1 FROM r WHERE k = 1"
      ),
      (
        "below an order and a limit",
        "SELECT ts FROM (SELECT * FROM r ORDER BY id LIMIT 10) ORDER BY ts",
        "SELECT ts FROM r"
      ),
      (
        "of the nearest row, the right side's",
        "SELECT s.l FROM r JOIN s ON r.k = s.k AND asof(r.ts, s.ts)",
        "SELECT l FROM s"
      )
    )
  )
    test(name)(assertReads(query, rows))

  test("of sliding windows, one of those that a row is in") {
    val ends = "SELECT window.end, max(id) FROM r GROUP BY window(ts, '2 hours', '1 hour')"
    val latest =
      "SELECT max(end) FROM (SELECT window.end FROM r GROUP BY window(ts, '2 hours', '1 hour'))"
    val found =
      lineage(spark.sql(ends).select("end")).map(rowsOf)
    assert(found.exists(_.contains(spark.sql(latest).head())))
  }

  test(
    "nothing is read of several inputs, of functions that are not known, and of what is no table"
  ) {
    import spark.implicits._
    val mapped = spark.range(5).as[Long].map(_ + 1).toDF("v")
    val shuffled = spark.createDataFrame(
      spark.range(5).as[Long].rdd.groupBy(_ % 2).map { case (k, v) => (k, v.size) }
    )
    val queries = Seq(
      "SELECT greatest(r.l, s.l) FROM r JOIN s ON r.id = s.id",
      "SELECT count(*) FROM r GROUP BY k",
      "SELECT l + rand() FROM r",
      "SELECT (SELECT max(l) FROM s) + l FROM r"
    ).map(spark.sql(_))
    for (df <- queries ++ Seq(mapped, shuffled))
      assert(lineage(df).isEmpty, df.queryExecution.optimizedPlan)
  }

  test("rows that the driver has, or that are checkpointed, are read again") {
    import spark.implicits._
    val held = spark.sparkContext.parallelize(Seq(3L, 1L, 2L)).toDF("v")
    val checkpointed = spark.sql("SELECT k, count(*) AS n FROM r GROUP BY k").localCheckpoint()
    val rows = spark.createDataFrame(spark.sparkContext.parallelize(Seq(Row(1L))), held.schema)
    for (df <- Seq(held, rows, checkpointed))
      assert(lineage(df).map(rowsOf(_).size.toLong).contains(df.count()))
  }
}
