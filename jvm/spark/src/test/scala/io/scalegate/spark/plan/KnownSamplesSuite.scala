package io.scalegate.spark.plan

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.functions.{col, udf}

import io.scalegate.spark.SparkJoinSuite

/** Which samples are known, by how often they are read. */
final class KnownSamplesSuite extends SparkJoinSuite {
  private lazy val files = newDirectory().resolve("files").toString

  private def write(rows: Int): Unit =
    spark.range(0, rows, 1, 1).selectExpr("id AS a", "-id AS b").write.mode("overwrite")
      .parquet(files)

  private def plan(rows: DataFrame): LogicalPlan = rows.queryExecution.optimizedPlan

  /** Whether the sample of these rows is read, and not known. */
  private def isRead(rows: => DataFrame): Boolean = {
    var read = false
    KnownSamples.getOrRead(plan(rows)) {
      read = true
      Some(new InputSample(Vector(Vector(Array(1L)))))
    }
    read
  }

  private def table: DataFrame = spark.read.parquet(files)

  test("what was read of the same files, columns and conditions is known") {
    write(10)
    assert(isRead(table.select("a")))
    assert(!isRead(table.select("a")))
    assert(isRead(table.select("b")))
    assert(isRead(table.where("a > 3").select("a")))
    assert(!isRead(table.where("a > 3").select("a")))
    assert(isRead(table.where("a > 4").select("a")))
    val named = spark.read.schema("a BIGINT, c BIGINT").parquet(files)
    assert(isRead(named.selectExpr("a", "c")))
    assert(isRead(spark.read.schema("a BIGINT, d BIGINT").parquet(files).selectExpr("a", "d")))
    assert(isRead(spark.read.option("mergeSchema", "true").parquet(files).select("a")))
    assert(!isRead(table.select("a")))
  }

  test("files that are written anew are read anew") {
    write(10)
    assert(isRead(table.select("a")))
    val before = table
    write(11)
    assert(isRead(table.select("a")))
    assert(!isRead(before.select("a")), "which still goes by the files that were there")
  }

  test("what has no files, or is chosen by somebody's function, is read each time") {
    write(10)
    val odd = udf((a: Long) => a % 2 == 1)
    for (_ <- 1 to 2) {
      assert(isRead(spark.range(9).toDF()))
      assert(isRead(table.where(odd(col("a"))).select("a")))
    }
  }

  test("a sample that could not be read is no more known than before") {
    write(10)
    assert(KnownSamples.getOrRead(plan(table.select("b")))(None).isEmpty)
    assert(isRead(table.select("b")))
  }

  test("the latest are kept") {
    write(10)
    def ofMore(than: Int) = table.where(s"a > $than").select("a")
    (1 to KnownSamples.Most + 1).foreach(n => assert(isRead(ofMore(n))))
    assert(!isRead(ofMore(2)) && isRead(ofMore(1)))
  }
}
