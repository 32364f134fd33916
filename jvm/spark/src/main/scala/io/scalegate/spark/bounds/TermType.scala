package io.scalegate.spark.bounds

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, UnscaledValue}
import org.apache.spark.sql.types._

import io.scalegate.band.AttributeType

/** The types whose values a band or a window can lie on, and how the core stores them. Values of two
  * types can be compared on one number line only within a family, or where one is a decimal and the other an integer.
  */
sealed abstract class TermType(val family: String, val attribute: AttributeType) {

  /** Digits behind the decimal point: the core stores whole numbers of the last one's units. */
  def scale: Int = 0

  /** Whether 64 bits hold the difference of any two values, so that bounds beyond these can be cut off. */
  def isNarrow: Boolean = attribute.bits == 32 || family == "decimal"

  /** A value of this type, in the type that the core stores it in. */
  def stored(e: Expression): Expression = {
    def as(target: DataType) = if (e.dataType == target) e else Cast(e, target)
    this match {
      case TermType.IntTerm => as(IntegerType)
      case TermType.LongTerm => as(LongType)
      case TermType.DoubleTerm => as(DoubleType)
      case TermType.DecimalTerm(precision, scale) =>
        UnscaledValue(as(DecimalType(precision, scale)))
      case _ => e
    }
  }
}

object TermType {
  case object IntTerm extends TermType("integer", AttributeType.Int32)
  case object LongTerm extends TermType("integer", AttributeType.Int64)

  /** A decimal of so few digits that 64 bits hold it, and the difference of two. */
  final case class DecimalTerm(precision: Int, override val scale: Int)
      extends TermType("decimal", AttributeType.Int64)

  case object DateTerm extends TermType("date", AttributeType.Int32)
  case object TimestampTerm extends TermType("timestamp", AttributeType.Int64)
  case object TimestampNtzTerm extends TermType("timestamp_ntz", AttributeType.Int64)
  case object IntervalTerm extends TermType("interval", AttributeType.Int64)
  case object FloatTerm extends TermType("floating", AttributeType.Float32)
  case object DoubleTerm extends TermType("floating", AttributeType.Float64)

  def from(t: DataType): Option[TermType] = t match {
    case ByteType | ShortType | IntegerType => Some(IntTerm)
    case LongType => Some(LongTerm)
    case DateType => Some(DateTerm)
    case TimestampType => Some(TimestampTerm)
    case TimestampNTZType => Some(TimestampNtzTerm)
    case _: DayTimeIntervalType => Some(IntervalTerm)
    case FloatType => Some(FloatTerm)
    case DoubleType => Some(DoubleTerm)
    case d: DecimalType => decimal(d.precision - d.scale, d.scale)
    case _ => None
  }

  private[this] def decimal(whole: Int, scale: Int): Option[TermType] =
    Option.when(whole + scale <= Decimal.MAX_LONG_DIGITS)(DecimalTerm(whole + scale, scale))

  /** The type in which both can be stored, if they share a number line. */
  def common(a: TermType, b: TermType): Option[TermType] = (a, b) match {
    case _ if a == b => Some(a)
    case (x: DecimalTerm, y) => wholeDigits(y).flatMap(inDecimals(x, _, y.scale))
    case (x, y: DecimalTerm) => wholeDigits(x).flatMap(inDecimals(y, _, x.scale))
    case _ if a.family == b.family => Some(if (a.attribute.bits == 64) a else b)
    case _ => None
  }

  /** The same for several, of which there is one at least. */
  def common(types: Seq[DataType]): Option[TermType] =
    types.map(from).reduce((a, b) => a.zip(b).flatMap { case (x, y) => common(x, y) })

  private[this] def inDecimals(d: DecimalTerm, whole: Int, scale: Int): Option[TermType] =
    decimal(math.max(d.precision - d.scale, whole), math.max(d.scale, scale))

  /** The digits before the decimal point; none where they are too many. */
  private[this] def wholeDigits(t: TermType): Option[Int] = t match {
    case DecimalTerm(precision, scale) => Some(precision - scale)
    case IntTerm => Some(Decimal.MAX_INT_DIGITS + 1)
    case _ => None
  }

  /** Time first, then what has the larger domain: the attribute a window is swept along is that of the least rank. */
  def sweepRank(t: TermType): Int = t match {
    case _: DecimalTerm => byPreference.indexOf(LongTerm)
    case other => byPreference.indexOf(other)
  }

  private[this] val byPreference: Seq[TermType] = Seq(
    TimestampTerm,
    TimestampNtzTerm,
    DateTerm,
    LongTerm,
    IntTerm,
    DoubleTerm,
    FloatTerm,
    IntervalTerm
  )
}
