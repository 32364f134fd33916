package io.scalegate.spark

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.classic.SparkSession

/** That each minor of Spark does what the table in `docs/compatibility.md` says of it, and that the page has the table. */
final class SparkFeaturesSuite extends SparkJoinSuite {
  for (feature <- SparkFeature.All)
    test(s"since Spark ${feature.since}: ${feature.what}") {
      val isThere = feature.isThere(spark.asInstanceOf[SparkSession])
      assert(isThere == feature.isExpected, s"on Spark $SPARK_VERSION")
    }

  test("the page on compatibility has the table of these") {
    val page = Files.readAllLines(Path.of("../../docs/compatibility.md")).asScala.toSeq
    val table = SparkFeature.table
    assert(page.containsSlice(table), s"the page should have\n${table.mkString("\n")}\n")
  }
}
