package io.scalegate.spark

import java.time.{Instant, LocalDate, LocalDateTime, ZoneOffset}

import scala.util.Random

import org.apache.spark.sql.scalegate.InternalRows
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Row, SparkSession}

/** Two small tables, `r` and `s`, with a column of every type that a bound can lie on. Values are dense, so
  * that bands match; NULL, NaN, infinities, negative zero and the ends of the types' ranges are among them.
  */
object TestTables {
  val schema: StructType = new StructType()
    .add("id", IntegerType)
    .add("k", IntegerType)
    .add("b", ByteType)
    .add("h", ShortType)
    .add("i", IntegerType)
    .add("l", LongType)
    .add("f", FloatType)
    .add("x", DoubleType)
    .add("d", DateType)
    .add("ts", TimestampType)
    .add("tn", TimestampNTZType)
    .add("m", DecimalType(10, 2))
    .add("name", StringType)

  val Rows = 90

  def register(spark: SparkSession, seed: Long = 7): Unit =
    Seq("r" -> seed, "s" -> (seed + 1)).foreach { case (name, s) =>
      val random = new Random(s)
      val rows = Seq.tabulate(Rows)(id => row(id, random))
      InternalRows
        .of(spark.createDataFrame(spark.sparkContext.parallelize(rows, 2), schema))
        .createOrReplaceTempView(name)
    }

  /** Around a change to and from summer time in New York. */
  private val start = Instant.parse("2013-03-10T05:30:00Z")

  private def row(id: Int, random: Random): Row = {
    def sometimes[T](value: => T, special: Seq[T]): Any =
      random.nextInt(12) match {
        case 0 => null
        case 1 if special.nonEmpty => special(random.nextInt(special.size))
        case _ => value
      }
    val instant =
      start.plusSeconds(random.nextInt(200000).toLong).plusNanos(1000L * random.nextInt(3))
    Row(
      id,
      sometimes(random.nextInt(4), Nil),
      sometimes((random.nextInt(40) - 20).toByte, Seq.empty[Byte]),
      sometimes((random.nextInt(60) - 30).toShort, Seq.empty[Short]),
      sometimes(random.nextInt(80) - 40, Nil),
      sometimes(random.nextInt(80) - 40L, Nil),
      sometimes(
        random.nextInt(60) / 4f,
        Seq(Float.NaN, Float.PositiveInfinity, Float.NegativeInfinity, -0.0f, Float.MaxValue)
      ),
      sometimes(
        random.nextInt(60) / 4.0,
        Seq(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity, -0.0, 1e300, -1e300)
      ),
      sometimes(
        java.sql.Date.valueOf(LocalDate.of(2013, 1, 1).plusDays(random.nextInt(40).toLong)),
        Nil
      ),
      sometimes(java.sql.Timestamp.from(instant), Nil),
      sometimes(LocalDateTime.ofInstant(instant, ZoneOffset.UTC), Nil),
      sometimes(new java.math.BigDecimal(random.nextInt(4000)).movePointLeft(2), Nil),
      sometimes(s"n${random.nextInt(5)}", Nil)
    )
  }
}
