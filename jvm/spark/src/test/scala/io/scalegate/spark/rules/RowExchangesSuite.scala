package io.scalegate.spark.rules

import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike
import org.apache.spark.sql.scalegate.RowExchangeExec
import org.apache.spark.sql.{DataFrame, functions => F}

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.settings.ScaleGateConf

/** Which exchanges are this package's, and what Spark is told of them. */
final class RowExchangesSuite extends SparkJoinSuite {
  override protected def settings: Map[String, String] =
    Map("spark.sql.autoBroadcastJoinThreshold" -> "-1")

  private val bound = "r.ts BETWEEN s.ts - INTERVAL 5 MINUTES AND s.ts"

  /** The rows of these are of a fixed width, and of any. */
  private val queries = Seq(
    "an interval join" -> s"SELECT r.i, r.l, s.l FROM r JOIN s ON r.i = s.i AND $bound",
    "an outer join" -> s"SELECT r.i, r.name, s.name FROM r LEFT JOIN s ON r.i = s.i AND $bound",
    "a band join, sorted" -> s"SELECT /*+ WINDOW_JOIN('sweep') */ r.i, s.l FROM r JOIN s ON r.i = s.i AND $bound",
    "a matrix" -> s"SELECT /*+ WINDOW_JOIN('matrix') */ r.i, s.l FROM r JOIN s ON $bound",
    "aggregates over sliding windows" -> ("SELECT window(ts, '1 hour', '10 minutes') AS w, name, sum(l) AS l " +
      "FROM r GROUP BY 1, 2"),
    "a DISTINCT and a join above an interval join" ->
      (s"SELECT DISTINCT j.i, s.d FROM (SELECT r.i, r.ts FROM r JOIN s ON r.i = s.i AND $bound) j " +
        "JOIN s ON j.i = s.i AND j.ts BETWEEN s.ts AND s.ts + INTERVAL 1 MINUTE")
  )

  private def exchanges(df: DataFrame): Seq[ShuffleExchangeLike] =
    collectWithSubqueries(executed(df)) { case e: ShuffleExchangeLike => e }

  private def own(df: DataFrame) = exchanges(df).collect { case e: RowExchangeExec => e }

  for {
    ((name, query), i) <- queries.zipWithIndex
    // More than 200 are written by another writer of Spark's.
    (adaptive, partitions) <- Sample.turn(Seq(("false", "3"), ("true", "211")), i)
  }
    test(s"$name, adaptive execution $adaptive, $partitions partitions") {
      withSettings(
        "spark.sql.adaptive.enabled" -> adaptive,
        "spark.sql.shuffle.partitions" -> partitions
      ) {
        val expected = plainSpark(rowsOf(spark.sql(query)))
        val df = spark.sql(query)
        assert(rowsOf(df) == expected)
        assert(own(df).nonEmpty)
      }
    }

  private val counted = Seq("dataSize", "shuffleRecordsWritten", "numPartitions", "recordsRead")

  for (adaptive <- Seq("false", "true"))
    test(s"Spark is told of as many rows and bytes, adaptive execution $adaptive") {
      def told(enabled: Boolean) = withSettings(
        "spark.sql.adaptive.enabled" -> adaptive,
        ScaleGateConf.Exchanges -> enabled.toString
      ) {
        val df = spark.sql(queries(1)._2)
        df.collect()
        assert(own(df).nonEmpty == enabled)
        exchanges(df).map(e => (e.runtimeStatistics, counted.map(e.metrics(_).value)))
      }
      assert(told(enabled = true) == told(enabled = false))
    }

  test("an exchange that another operator reads as well is Spark's, and runs once") {
    val rows =
      spark.table("r").select("i", "ts", "name").where("i IS NOT NULL AND ts IS NOT NULL")
    val joined = rows.as("a").join(
      rows.as("b"),
      F.expr("a.i = b.i AND a.ts BETWEEN b.ts - INTERVAL 5 MINUTES AND b.ts")
    )
    val paired = rows.as("c").join(rows.as("d"), F.expr("c.i = d.i"))
    for (adaptive <- Seq("false", "true"))
      withSettings("spark.sql.adaptive.enabled" -> adaptive) {
        val df = joined.union(paired)
        assert(df.collect().length == joined.count() + paired.count())
        assert(exchanges(df).size == 1 && own(df).isEmpty)
      }
  }

  test("exchanges that no operator of this package reads are Spark's") {
    val df = spark.sql(s"SELECT j.m, count(*) FROM (${queries.head._2}) j(i, l, m) GROUP BY j.m")
    df.collect()
    val (ours, others) = exchanges(df).partition(_.isInstanceOf[RowExchangeExec])
    assert(ours.size == 2 && others.size == 1)
  }

  test("Spark's exchanges are kept where the setting says so") {
    withSettings(ScaleGateConf.Exchanges -> "false") {
      val df = spark.sql(queries.head._2)
      df.collect()
      assert(own(df).isEmpty && exchanges(df).nonEmpty)
    }
    withSettings(ScaleGateConf.Exchanges -> "perhaps") {
      val error = intercept[IllegalArgumentException](spark.sql(queries.head._2).collect())
      assert(
        error.getMessage == "spark.scalegate.exchange.enabled must be true or false, not 'perhaps'"
      )
    }
  }

  test("rows brought for one join and for another like it are exchanged once") {
    val path = newDirectory().resolve("read").toString
    spark.table("r").select("i", "l", "ts").write.parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("read")
    val query = "SELECT a.i, a.l, b.l FROM read a JOIN read b ON a.i = b.i AND " +
      "a.ts BETWEEN b.ts - INTERVAL 5 MINUTES AND b.ts"
    for (adaptive <- Seq("false", "true"))
      withSettings("spark.sql.adaptive.enabled" -> adaptive) {
        val df = spark.sql(s"$query UNION ALL $query")
        assert(df.collect().length == 2 * spark.sql(query).collect().length)
        assert(own(df).size == 1)
      }
  }
}
