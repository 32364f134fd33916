package io.scalegate.spark.bounds

import scala.util.Random

import org.apache.spark.sql.types._

/** A type that a bound may have, with its values at the edges, as Spark stores them: the ends of the range, NaN,
  * infinities, negative zero, denormals, and what lies next to where a bound ends.
  */
final case class EdgeType(sql: String, dataType: DataType) {
  import EdgeValues._

  def pool: Seq[Any] = dataType match {
    case FloatType =>
      floats.map(_.toFloat) ++ Seq(Float.MinPositiveValue, Float.MaxValue, -Float.MaxValue)
    case DoubleType =>
      floats ++ Seq(Double.MinPositiveValue, Double.MaxValue, -Double.MaxValue, 1e308)
    case DateType => ends(32).map(_.toInt)
    case TimestampType | TimestampNTZType => (ends(64) ++ days).map(_.toLong)
    case _ => (ends(64) ++ ends(32) ++ ends(16) ++ ends(8)).flatMap(near(_, 0))
  }

  /** The value nearest to a number of this type's units, and those next to it; none where there are none. */
  def near(number: BigDecimal, around: Int): Seq[Any] = dataType match {
    case FloatType =>
      steps(number.toFloat, around)(Math.nextUp(_: Float), Math.nextDown(_: Float))
    case DoubleType =>
      steps(number.toDouble, around)(Math.nextUp(_: Double), Math.nextDown(_: Double))
    case d: DecimalType =>
      val unscaled = number.bigDecimal.movePointRight(d.scale).toBigInteger
      whole(
        BigDecimal(new java.math.BigDecimal(unscaled)),
        around,
        BigDecimal(10).pow(d.precision)
      )
        .map(n => Decimal(BigDecimal(n.bigDecimal.movePointLeft(d.scale)), d.precision, d.scale))
    case ByteType => whole(number, around, 1 << 7).map(_.toByte)
    case ShortType => whole(number, around, 1 << 15).map(_.toShort)
    case IntegerType | DateType => whole(number, around, BigDecimal(1L << 31)).map(_.toInt)
    case _ => whole(number, around, BigDecimal(BigInt(1) << 63)).map(_.toLong)
  }

  private[this] def whole(number: BigDecimal, around: Int, end: BigDecimal): Seq[BigDecimal] = {
    val middle = BigDecimal(number.bigDecimal.setScale(0, java.math.RoundingMode.HALF_EVEN))
    val isDecimal = dataType.isInstanceOf[DecimalType]
    (-around to around).map(middle + _)
      .filter(n => n < end && (if (isDecimal) n > -end else n >= -end))
  }
}

object EdgeValues {
  val MicrosPerDay = 86400000000L

  val numbers: Seq[EdgeType] = Seq(
    EdgeType("TINYINT", ByteType),
    EdgeType("SMALLINT", ShortType),
    EdgeType("INT", IntegerType),
    EdgeType("BIGINT", LongType),
    EdgeType("FLOAT", FloatType),
    EdgeType("DOUBLE", DoubleType),
    EdgeType("DECIMAL(5,2)", DecimalType(5, 2)),
    EdgeType("DECIMAL(9,4)", DecimalType(9, 4)),
    EdgeType("DECIMAL(18,0)", DecimalType(18, 0)),
    EdgeType("DECIMAL(30,5)", DecimalType(30, 5))
  )
  val date: EdgeType = EdgeType("DATE", DateType)
  val times: Seq[EdgeType] =
    Seq(EdgeType("TIMESTAMP", TimestampType), EdgeType("TIMESTAMP_NTZ", TimestampNTZType))

  /** Any number as it is, to reckon with; None for NaN and the infinities. */
  def numberOf(value: Any): Option[BigDecimal] = value match {
    case n: Byte => Some(BigDecimal(n.toInt))
    case n: Short => Some(BigDecimal(n.toInt))
    case n: Int => Some(BigDecimal(n))
    case n: Long => Some(BigDecimal(n))
    case n: Float if java.lang.Float.isFinite(n) => Some(BigDecimal(n.toDouble))
    case n: Double if java.lang.Double.isFinite(n) => Some(BigDecimal(n))
    case n: Decimal => Some(n.toBigDecimal)
    case _ => None
  }

  /** A constant of a condition: how it is written, and its number. */
  final case class Constant(sql: String, number: BigDecimal)

  private def constant(sql: String, number: String) = Constant(sql, BigDecimal(number))

  val constants: Seq[Constant] = Seq(
    constant("0", "0"),
    constant("1Y", "1"),
    constant("3S", "3"),
    constant("5", "5"),
    constant("-7", "-7"),
    constant("100L", "100"),
    constant("2147483647", "2147483647"),
    constant("4611686018427387905L", "4611686018427387905"),
    constant("0.05", "0.05"),
    constant("2.5", "2.5"),
    constant("-1.25", "-1.25"),
    constant("0.2F", "0.2"),
    constant("1.5F", "1.5"),
    constant("16777217F", "16777216"),
    constant("3e38F", "3e38"),
    constant("1e-9D", "1e-9"),
    constant("0.1D", "0.1"),
    constant("0.9999999999999999D", "0.9999999999999999"),
    constant("5D", "5"),
    constant("1e17D", "1e17"),
    constant("1e308D", "1e308"),
    constant("4.9E-324D", "4.9e-324")
  )

  def pick[T](random: Random, from: Seq[T]): T = from(random.nextInt(from.size))

  private[spark] val floats: Seq[Double] = Seq(
    Double.NaN,
    Double.PositiveInfinity,
    Double.NegativeInfinity,
    0.0,
    -0.0,
    1.0,
    -3.5,
    0.1,
    5.0,
    100.25,
    16777216.0,
    -16777217.0,
    1073741824.0,
    9007199254740993.0,
    1e17,
    -1e17,
    1e30,
    3e38,
    -3e38
  )

  private[spark] val days: Seq[BigDecimal] =
    Seq("2013-03-10T06:59:59Z", "2013-11-03T05:30:00Z", "1883-11-18T17:00:00Z")
      .map(text => BigDecimal(java.time.Instant.parse(text).toEpochMilli) * 1000)

  private[spark] def ends(bits: Int): Seq[BigDecimal] = {
    val end = BigDecimal(BigInt(1) << (bits - 1))
    Seq(
      -end,
      -end + 1,
      -end + 3,
      BigDecimal(-8),
      BigDecimal(0),
      BigDecimal(2),
      end / 2,
      end - 4,
      end - 1
    )
  }

  private[spark] def steps[T](middle: T, around: Int)(up: T => T, down: T => T): Seq[T] =
    middle +: (Iterator.iterate(middle)(up).slice(1, around + 1) ++
      Iterator.iterate(middle)(down).slice(1, around + 1)).toSeq
}
