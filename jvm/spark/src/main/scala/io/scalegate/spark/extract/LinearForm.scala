package io.scalegate.spark.extract

import java.time.{ZoneId, ZoneOffset}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.{
  Add,
  AttributeSet,
  Cast,
  DateAdd,
  DateDiff,
  DateSub,
  EvalMode,
  Expression,
  Subtract,
  SubtractDates,
  SubtractTimestamps,
  TimeZoneAwareExpression,
  TimestampAddInterval,
  UnaryMinus
}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

/** Reads an expression as a [[Linear]] form over the attributes of a join's two inputs.
  *
  * Only arithmetic that cannot lose a match is read through. An expression over one input that is not
  * understood stays whole, as a term: Spark evaluates it. Integer arithmetic that wraps around (ANSI mode
  * off) is never read through, because a wrapped difference has no range on the number line.
  */
final class LinearForm(left: AttributeSet, right: AttributeSet) {
  import LinearForm._

  def of(e: Expression): Option[Linear] =
    if (e.foldable) constantOf(e)
    else
      (e match {
        case Add(a, b, context) if readable(e, a, b, context.evalMode) =>
          arithmetic(e, a, b, context.evalMode)(_.plus(_))
        case Subtract(a, b, context) if readable(e, a, b, context.evalMode) =>
          arithmetic(e, a, b, context.evalMode)((x, y) => x.plus(y.negate))
        case UnaryMinus(a, failOnError) if failOnError || !mayWrap(e.dataType) =>
          of(a).map(_.negate)
        case TimestampAddInterval(start, interval, _) if interval.foldable =>
          shiftedTimestamp(e, start, interval)
        case SubtractTimestamps(a, b, false, _) => timestampDifference(e, a, b)
        case SubtractDates(a, b, false) => difference(a, b).map(_.copy(scale = MicrosPerDay))
        case DateDiff(end, start) => difference(end, start)
        case DateAdd(date, days) if days.foldable => of(date).zip(of(days)).flatMap(plus)
        case DateSub(date, days) if days.foldable =>
          of(date).zip(of(days).map(_.negate)).flatMap(plus)
        case c: Cast if keepsValue(c.child.dataType, c.dataType) => of(c.child)
        case _ => None
      }).orElse(term(e))

  private[this] def difference(a: Expression, b: Expression): Option[Linear] =
    of(a).zip(of(b).map(_.negate)).flatMap(plus)

  private[this] def arithmetic(e: Expression, a: Expression, b: Expression, mode: EvalMode.Value)(
      combine: (Linear, Linear) => Option[Linear]
  ): Option[Linear] =
    for {
      x <- of(a)
      y <- of(b)
      sum <- combine(x, y)
      if !isFloating(e.dataType) || singleRounding(a, b)
    } yield if (isExact(e.dataType, mode)) sum else sum.inexact

  private[this] def isExact(t: DataType, mode: EvalMode.Value): Boolean = t match {
    case _: DecimalType => true
    case other => mode == EvalMode.ANSI && !isFloating(other)
  }

  /** A band on floating point covers the rounding of one addition on either side of the comparison. */
  private[this] def singleRounding(a: Expression, b: Expression): Boolean =
    Seq(a, b).forall(x => x.foldable || term(stripCast(x)).nonEmpty && !isArithmetic(x))

  private[this] def shiftedTimestamp(
      e: Expression,
      start: Expression,
      interval: Expression
  ): Option[Linear] = {
    val slack = if (e.dataType == TimestampType) zoneSpread(zoneOf(e)) else BigDecimal(0)
    val offset = interval.eval() match {
      case micros: Long =>
        val exactly = Linear.constant(BigDecimal(micros))
        Some(if (math.abs(micros) < MicrosPerDay) exactly else exactly.widen(slack))
      case c: CalendarInterval => Some(calendarOffset(c).widen(slack).inexact)
      case _ => None
    }
    of(start).zip(offset).flatMap(plus)
  }

  /** The difference of two timestamps is one of local times: across a change of the zone's offset it is
    * not the time that passed.
    */
  private[this] def timestampDifference(
      e: Expression,
      a: Expression,
      b: Expression
  ): Option[Linear] = {
    val zoned = Seq(a, b).exists(_.dataType == TimestampType)
    difference(a, b).map(_.widen(if (zoned) zoneSpread(zoneOf(e)) else 0))
  }

  private[this] def plus(pair: (Linear, Linear)): Option[Linear] = pair._1.plus(pair._2)

  private[this] def term(e: Expression): Option[Linear] = {
    val references = e.references
    val usable = e.deterministic && references.nonEmpty && TermType.of(e.dataType).nonEmpty
    def form(l: Option[Term], r: Option[Term]) = Linear(l, r, 1L, 0, 0, exact = true)
    if (!usable) None
    else if (references.subsetOf(left)) Some(form(Some(Term(e, positive = true)), None))
    else if (references.subsetOf(right)) Some(form(None, Some(Term(e, positive = true))))
    else None
  }
}

object LinearForm {
  val MicrosPerDay: Long = 86400000000L

  private def isFloating(t: DataType): Boolean = t == FloatType || t == DoubleType

  /** The bytes of an integer type. */
  private def integerWidth(t: DataType): Option[Int] = t match {
    case ByteType | ShortType | IntegerType | LongType => Some(t.defaultSize)
    case _ => None
  }

  def isArithmetic(e: Expression): Boolean = stripCast(e) match {
    case _: Add | _: Subtract => true
    case _ => false
  }

  private def stripCast(e: Expression): Expression = e match {
    case c: Cast if keepsValue(c.child.dataType, c.dataType) => stripCast(c.child)
    case other => other
  }

  /** Whether negation and absolute value wrap around in the type where they do not raise. */
  def mayWrap(t: DataType): Boolean = t match {
    case _: DecimalType => false
    case other => !isFloating(other)
  }

  /** Integer arithmetic is read through where it raises or gives NULL on overflow, not where it wraps; that of
    * decimals where the result has room for all digits of any sum, so that it neither overflows nor is rounded.
    */
  private def readable(
      e: Expression,
      a: Expression,
      b: Expression,
      mode: EvalMode.Value
  ): Boolean = (e.dataType, a.dataType, b.dataType) match {
    case (sum: DecimalType, x: DecimalType, y: DecimalType) =>
      sum.scale >= math.max(x.scale, y.scale) &&
      wholeDigits(sum) > math.max(wholeDigits(x), wholeDigits(y))
    case (t, _, _) => isFloating(t) || (integerWidth(t).nonEmpty && mode != EvalMode.LEGACY)
  }

  private def wholeDigits(d: DecimalType): Int = d.precision - d.scale

  /** Casts after which the number is the same. */
  def keepsValue(from: DataType, to: DataType): Boolean = (from, to) match {
    case (FloatType, DoubleType) => true
    case (a: DayTimeIntervalType, b: DayTimeIntervalType) => a.endField <= b.endField
    case (a: DecimalType, b: DecimalType) =>
      b.scale >= a.scale && wholeDigits(b) >= wholeDigits(a)
    case _ => integerWidth(from).exists(keepsInteger(_, to))
  }

  private def keepsInteger(width: Int, to: DataType): Boolean = to match {
    case DoubleType => width <= 4
    case d: DecimalType => wholeDigits(d) >= digits(width)
    case t => integerWidth(t).exists(_ >= width)
  }

  /** The decimal digits that an integer of so many bytes may need. */
  private def digits(width: Int): Int = (BigInt(1) << (8 * width - 1)).toString.length

  private def constantOf(e: Expression): Option[Linear] = e.dataType match {
    case _: NumericType | _: DayTimeIntervalType => numberOf(e.eval()).map(Linear.constant)
    case _ => None
  }

  private def numberOf(value: Any): Option[BigDecimal] = value match {
    case n: Byte => Some(BigDecimal(n.toInt))
    case n: Short => Some(BigDecimal(n.toInt))
    case n: Int => Some(BigDecimal(n))
    case n: Long => Some(BigDecimal(n))
    case n: Float if java.lang.Float.isFinite(n) => Some(exactly(n.toDouble))
    case n: Double if java.lang.Double.isFinite(n) => Some(exactly(n))
    case n: Decimal => Some(n.toBigDecimal).filter(isShort)
    case _ => None
  }

  /** Whether sums of such numbers have no more digits than a BigDecimal keeps, and 64 bits hold their whole part. */
  private def isShort(n: BigDecimal): Boolean = {
    val digits = n.bigDecimal.stripTrailingZeros
    digits.scale <= 14 && digits.precision - digits.scale <= Decimal.MAX_LONG_DIGITS
  }

  private def exactly(d: Double): BigDecimal = new BigDecimal(new java.math.BigDecimal(d))

  /** A month is 28 to 31 days long. */
  private def calendarOffset(c: CalendarInterval): Linear = {
    val fixed = BigDecimal(c.days) * MicrosPerDay + c.microseconds
    val ends = Seq(28, 31).map(days => BigDecimal(c.months) * days * MicrosPerDay + fixed)
    Linear(None, None, 1L, ends.min, ends.max, exact = false)
  }

  private def sessionZone: ZoneId =
    DateTimeUtils.getZoneId(SQLConf.get.sessionLocalTimeZone)

  private def zoneOf(e: Expression): ZoneId = e match {
    case z: TimeZoneAwareExpression if z.timeZoneId.nonEmpty => z.zoneId
    case _ => sessionZone
  }

  /** By how many microseconds two offsets of a zone can differ, over all of its history and future. */
  def zoneSpread(zone: ZoneId): BigDecimal = {
    val rules = zone.getRules
    val ofTransitions =
      rules.getTransitions.asScala.flatMap(t => Seq(t.getOffsetBefore, t.getOffsetAfter))
    val ofRules =
      rules.getTransitionRules.asScala.flatMap(r => Seq(r.getOffsetBefore, r.getOffsetAfter))
    val standing = if (rules.isFixedOffset) Seq(ZoneOffset.UTC) else Nil
    val seconds = (ofTransitions ++ ofRules ++ standing).map(_.getTotalSeconds)
    if (seconds.isEmpty) 0 else BigDecimal(seconds.max - seconds.min) * 1000000L
  }
}
