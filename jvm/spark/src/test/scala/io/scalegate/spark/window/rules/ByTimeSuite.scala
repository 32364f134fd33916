package io.scalegate.spark.window.rules

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

import io.scalegate.spark.window.PaneAggregateSuite

/** Values by event time, against the same said with the order of structs. */
final class ByTimeSuite extends PaneAggregateSuite {
  private val values = Seq("i", "l", "x", "name", "d", "m", "bytes", "struct(i, name)")

  private val schema = new StructType()
    .add("ts", TimestampType)
    .add("k", IntegerType)
    .add("i", IntegerType)
    .add("l", LongType)
    .add("x", DoubleType)
    .add("name", StringType)
    .add("d", DateType)
    .add("m", DecimalType(30, 3))
    .add("bytes", BinaryType)

  private def row(random: Random): Row = {
    def sometimes[T](value: => T): Any = if (random.nextInt(6) == 0) null else value
    Row(
      sometimes(new java.sql.Timestamp(60000L * random.nextInt(30))),
      random.nextInt(3),
      sometimes(random.nextInt(5)),
      sometimes(random.nextInt(5).toLong),
      sometimes(if (random.nextInt(5) == 0) Double.NaN else random.nextInt(4).toDouble),
      sometimes(s"n${random.nextInt(5)}"),
      sometimes(java.sql.Date.valueOf(s"2024-01-${10 + random.nextInt(9)}")),
      sometimes(new java.math.BigDecimal(random.nextInt(9)).movePointLeft(1)),
      sometimes(Array(random.nextInt(3).toByte))
    )
  }

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val random = new Random(41)
    val rows = Seq.fill(300)(row(random))
    Seq("moments" -> rows, "shuffled" -> random.shuffle(rows)).foreach { case (name, ordered) =>
      spark.createDataFrame(spark.sparkContext.parallelize(ordered, 3), schema)
        .createOrReplaceTempView(name)
    }
  }

  private def shown(value: String) = if (value == "bytes") "hex(bytes)" else value

  values.foreach { value =>
    test(s"first and last of $value, alone and over windows") {
      Seq("k", "k, window(ts, '10 minutes', '2 minutes')").foreach { keys =>
        val ours =
          s"SELECT k, first_by_time(${shown(value)}, ts), last_by_time(${shown(value)}, ts) " +
            s"FROM shuffled GROUP BY $keys"
        val ordered = s"struct(ts, ${shown(value)} AS v)"
        val theirs = s"SELECT k, min($ordered).v, max($ordered).v FROM moments " +
          s"WHERE ts IS NOT NULL GROUP BY $keys"
        assert(rowsOf(spark.sql(ours)) == plainSpark(rowsOf(spark.sql(theirs))))
        assert(panes(spark.sql(ours)).nonEmpty == keys.contains("window"))
      }
    }
  }

  test("with a FILTER, over a window of rows, and of rows without a time") {
    assert(
      rowsOf(spark.sql("SELECT last_by_time(i, ts) FILTER (WHERE i < 3) FROM moments")) ==
        rowsOf(
          spark.sql("SELECT max(struct(ts, i)).i FROM moments WHERE i < 3 AND ts IS NOT NULL")
        )
    )
    assert(
      spark.sql("SELECT first_by_time(i, ts) FROM moments WHERE ts IS NULL").head().isNullAt(0)
    )
    assert(
      spark.sql("SELECT first_by_time(i, ts) OVER (PARTITION BY k) FROM moments").count() == 300
    )
  }

  Seq(
    "double" -> Seq("CAST('-0.0' AS DOUBLE)", "CAST('0.0' AS DOUBLE)"),
    "struct of a float" -> Seq(
      "named_struct('x', CAST('-0.0' AS FLOAT))",
      "named_struct('x', 0F)"
    ),
    "collated text" -> Seq("'A' COLLATE UTF8_LCASE", "'a' COLLATE UTF8_LCASE")
  ).foreach { case (name, values) =>
    test(s"values that are equal and differ, whatever the order of arrival: $name") {
      val found = values.permutations.map { order =>
        val rows = order.map(v => s"SELECT TIMESTAMP '2024-01-01 00:00:00' AS ts, $v AS v")
        rows.mkString(" UNION ALL ")
      }.map { rows =>
        val both = "first_by_time(v, ts) AS f, last_by_time(v, ts) AS l"
        spark.sql(s"SELECT CAST(f AS STRING), CAST(l AS STRING) FROM (SELECT $both FROM ($rows))")
          .head()
      }.toSeq
      assert(found.distinct.size == 1)
      assert(found.head.getString(0) != found.head.getString(1))
    }
  }

  test("other arguments are refused with what to write") {
    val count = intercept[Exception](spark.sql("SELECT last_by_time(i) FROM moments"))
    assert(count.getMessage.contains("last_by_time(price, ts)"))
    val kind = intercept[Exception](spark.sql("SELECT first_by_time(map(1, i), ts) FROM moments"))
    assert(kind.getMessage.contains("first_by_time"))
  }
}
