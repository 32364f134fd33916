package io.scalegate.spark.extract

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression}
import org.apache.spark.sql.types._

import io.scalegate.join.AttributeType

/** The types whose values a band or a window can lie on, and how the core stores them. Values of two
  * types can be compared on one number line only within a family.
  */
sealed abstract class TermType(val family: String, val attribute: AttributeType) {

  /** A value of this type, in the type that the core stores it in. */
  def stored(e: Expression): Expression = {
    def as(target: DataType) = if (e.dataType == target) e else Cast(e, target)
    this match {
      case TermType.IntTerm => as(IntegerType)
      case TermType.LongTerm => as(LongType)
      case TermType.DoubleTerm => as(DoubleType)
      case _ => e
    }
  }
}

object TermType {
  case object IntTerm extends TermType("integer", AttributeType.Int32)
  case object LongTerm extends TermType("integer", AttributeType.Int64)
  case object DateTerm extends TermType("date", AttributeType.Int32)
  case object TimestampTerm extends TermType("timestamp", AttributeType.Int64)
  case object TimestampNtzTerm extends TermType("timestamp_ntz", AttributeType.Int64)
  case object IntervalTerm extends TermType("interval", AttributeType.Int64)
  case object FloatTerm extends TermType("floating", AttributeType.Float32)
  case object DoubleTerm extends TermType("floating", AttributeType.Float64)

  def of(t: DataType): Option[TermType] = t match {
    case ByteType | ShortType | IntegerType => Some(IntTerm)
    case LongType => Some(LongTerm)
    case DateType => Some(DateTerm)
    case TimestampType => Some(TimestampTerm)
    case TimestampNTZType => Some(TimestampNtzTerm)
    case _: DayTimeIntervalType => Some(IntervalTerm)
    case FloatType => Some(FloatTerm)
    case DoubleType => Some(DoubleTerm)
    case _ => None
  }

  /** The type in which both can be stored, if they share a number line. */
  def common(a: TermType, b: TermType): Option[TermType] =
    if (a == b) Some(a)
    else if (a.family == b.family) Some(if (a.attribute.bits == 64) a else b)
    else None

  /** Time first, then what has the larger domain: the attribute a window is swept along. */
  val sweepPreference: Seq[TermType] = Seq(
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
