package io.scalegate.spark.around

import org.apache.spark.api.java.function.{
  FlatMapGroupsFunction,
  MapFunction,
  MapPartitionsFunction
}
import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.functions.udaf
import org.apache.spark.sql.{Encoder, Encoders, Row, SparkSession}

/** Functions of a user's own, of each kind that Scala and SQL have. */
private object Functions {
  def register(spark: SparkSession): Unit = {
    spark.udf.register("same", (x: java.lang.Long) => x)
    spark.udf.register("marked", (x: String) => if (x == null) null else s"$x!")
    spark.udf.register("total", udaf(Total, Encoders.LONG))
    spark.sql("CREATE TEMPORARY FUNCTION plus_one(x BIGINT) RETURNS BIGINT RETURN x + 1")
    spark.sql(
      "CREATE TEMPORARY FUNCTION next_two(n BIGINT) RETURNS TABLE (x BIGINT) " +
        "RETURN SELECT n + k FROM VALUES (1L), (2L) AS k(k)"
    )
    ()
  }

  /** A sum by an aggregate function in Scala, which takes NULL for none. */
  object Total extends Aggregator[java.lang.Long, java.lang.Long, java.lang.Long] {
    def zero: java.lang.Long = 0L
    def reduce(sum: java.lang.Long, x: java.lang.Long): java.lang.Long =
      if (x == null) sum else sum + x
    def merge(l: java.lang.Long, r: java.lang.Long): java.lang.Long = l + r
    def finish(sum: java.lang.Long): java.lang.Long = sum
    def bufferEncoder: Encoder[java.lang.Long] = Encoders.LONG
    def outputEncoder: Encoder[java.lang.Long] = Encoders.LONG
  }

  object Same extends MapFunction[Row, Row] {
    def call(row: Row): Row = row
  }

  object Passed extends MapPartitionsFunction[Row, Row] {
    def call(rows: java.util.Iterator[Row]): java.util.Iterator[Row] = rows
  }

  object Key extends MapFunction[Row, String] {
    def call(row: Row): String = String.valueOf(row.get(3))
  }

  object Members extends FlatMapGroupsFunction[String, Row, Row] {
    def call(key: String, rows: java.util.Iterator[Row]): java.util.Iterator[Row] = rows
  }
}
