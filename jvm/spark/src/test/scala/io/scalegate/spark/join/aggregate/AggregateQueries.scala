package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.DataFrame
import org.scalatest.Assertion

import io.scalegate.Sample
import io.scalegate.spark.SparkJoinSuite

/** Queries that are run by [[IntervalAggregateExec]], against plain Spark. */
abstract class AggregateQueries extends SparkJoinSuite {
  override protected def settings: Map[String, String] =
    Map("spark.sql.autoBroadcastJoinThreshold" -> "-1")

  protected def aggregates(df: DataFrame): Seq[IntervalAggregateExec] =
    collectWithSubqueries(executed(df)) { case a: IntervalAggregateExec => a }

  /** That the rows are plain Spark's, and that so many nodes of ours give them. */
  protected def assertAggregates(query: String, nodes: Int = 1): Assertion = {
    val expected = plainSpark(rowsOf(spark.sql(query)))
    val df = spark.sql(query)
    assert(rowsOf(df) == expected, query)
    assert(aggregates(df).size == nodes, s"not planned as IntervalAggregate: $query")
  }

  /** That no node of ours is in the plans, and of every second query that the rows are plain Spark's. */
  protected def assertLeftAsIs(queries: Seq[String]): Unit =
    for ((query, i) <- queries.zipWithIndex)
      if (Sample.isSoak || i % 2 == 0) assertAggregates(query, nodes = 0)
      else assert(aggregates(spark.sql(query)).isEmpty, query)
}
