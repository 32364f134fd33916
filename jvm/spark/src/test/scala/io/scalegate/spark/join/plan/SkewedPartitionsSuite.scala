package io.scalegate.spark.join.plan

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.adaptive.AQEShuffleReadExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike

import io.scalegate.spark.SparkJoinSuite
import io.scalegate.spark.settings.ScaleGateConf

/** Partitions that turn out to be skewed when the inputs have run are cut, as below Spark's own joins. */
final class SkewedPartitionsSuite extends SparkJoinSuite {
  override protected def settings: Map[String, String] = Map(
    "spark.sql.autoBroadcastJoinThreshold" -> "-1",
    "spark.sql.shuffle.partitions" -> "4",
    "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes" -> "3000",
    "spark.sql.adaptive.skewJoin.skewedPartitionFactor" -> "2",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes" -> "1500",
    ScaleGateConf.SampleRows -> "0"
  )

  /** Most rows have one key, in each of several tasks that write the exchange. */
  private def hot(n: Int, seed: Int): String =
    s"(SELECT CASE WHEN id % 8 > 0 THEN 3 ELSE pmod(hash(id, $seed), 40) END AS k, " +
      s"CASE WHEN id % 31 = 0 THEN NULL ELSE id END AS t, id, sha1(cast(id AS STRING)) AS u FROM range(0, $n, 1, 6))"

  private val left = hot(600, 1)
  private val right = hot(480, 5)

  private def query(how: String, hint: String): String = {
    val one = how.contains("SEMI") || how.contains("ANTI")
    s"SELECT $hint a.id, a.u${if (one) "" else ", b.id, b.u"} FROM $left a $how JOIN $right b " +
      "ON a.k = b.k AND b.t - a.t BETWEEN 0 AND 3 AND a.u <> b.u"
  }

  private def ran(text: String): DataFrame = {
    val df = spark.sql(text)
    df.collect()
    df
  }

  private def isCut(df: DataFrame): Boolean =
    windowJoins(df).exists(_.nodeName == "WindowJoin(skew=true)") &&
      collect(executed(df)) { case r: AQEShuffleReadExec if r.hasSkewedPartition => r }.nonEmpty

  for {
    (algorithm, types) <-
      Seq("index" -> Seq("", "LEFT", "LEFT SEMI"), "sweep" -> Seq("", "RIGHT", "LEFT ANTI"))
    how <- types
  } test(s"by $algorithm, in a join: ${if (how.isEmpty) "INNER" else how}") {
    val text = query(how, s"/*+ WINDOW_JOIN('$algorithm') */")
    assert(isCut(assertedJoin(text)), text)
  }

  test("where bounds are columns, and in cells") {
    val overlap = s"SELECT /*+ WINDOW_JOIN */ a.id, b.id FROM $left a LEFT JOIN $right b " +
      "ON a.k = b.k AND a.t BETWEEN b.t AND b.t + b.k"
    assert(isCut(assertedJoin(overlap)))
    val near = s"SELECT a.id, a.u, b.id FROM (SELECT *, k * 10 AS z FROM $left) a LEFT JOIN " +
      s"(SELECT *, k * 10 AS z FROM $right) b ON b.t - a.t BETWEEN 0 AND 3 AND abs(a.z - b.z) < 2"
    assert(isCut(assertedJoin(near)))
  }

  test("a full join, and one whose rows an operator above needs by their keys, are left whole") {
    val full = query("FULL", "/*+ WINDOW_JOIN('index') */")
    assert(!isCut(assertedJoin(full)))
    val grouped = s"SELECT a.k, count(*) FROM $left a JOIN $right b ON a.k = b.k AND " +
      "b.t - a.t BETWEEN 0 AND 3 GROUP BY a.k"
    val df = assertedJoin(grouped)
    assert(!isCut(df))
    assert(collect(executed(df)) { case e: ShuffleExchangeLike => e }.size == 2)
  }

  test("rows that are to lie by a key when all is done do") {
    import org.apache.spark.sql.functions.{col, spark_partition_id}
    val joined = spark.sql(query("", "").replace("a.id, a.u", "a.k, a.id, a.u"))
    val placed = joined.repartition(col("k")).withColumn("p", spark_partition_id())
    val places = placed.select("k", "p").distinct().groupBy("k").count().select("count").collect()
    assert(places.nonEmpty && places.forall(_.getLong(0) == 1))
  }

  test("Spark's switch for its own joins is the switch for these") {
    withSettings("spark.sql.adaptive.skewJoin.enabled" -> "false") {
      assert(!isCut(ran(query("", ""))))
    }
  }
}
