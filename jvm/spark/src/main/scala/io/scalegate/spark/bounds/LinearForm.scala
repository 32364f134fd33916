package io.scalegate.spark.bounds

import java.time.{ZoneId, ZoneOffset}

import scala.jdk.CollectionConverters._
import scala.util.Try

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
  UnaryMinus
}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.scalegate.SparkExpressions
import org.apache.spark.sql.scalegate.SparkExpressions.ShiftedTimestamp
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

/** Reads an expression as a [[Linear]] form over the attributes of a join's two inputs.
  *
  * Only arithmetic that cannot lose a match is read through. An expression over one input that is not understood stays
  * whole, as a term: Spark evaluates it. What Spark rounds is part of the form, as an error in the type in which it is
  * evaluated. Integer arithmetic that may wrap around (ANSI mode off, and types that do not hold every sum) is not read
  * through, because a wrapped difference has no range on the number line; that of dates, which always may, is on a
  * circle. Used when a join is planned, by one thread.
  */
final class LinearForm(left: AttributeSet, right: AttributeSet) {
  import LinearForm._

  def formOf(e: Expression): Option[Linear] =
    if (e.foldable) constantOf(e)
    else
      (e match {
        case sum @ Add(a, b, _) if readable(e, a, b) =>
          arithmetic(e, a, b, SparkExpressions.evalMode(sum))(_.plus(_))
        case difference @ Subtract(a, b, _) if readable(e, a, b) =>
          arithmetic(e, a, b, SparkExpressions.evalMode(difference))((x, y) => x.plus(y.negate))
        case UnaryMinus(a, failOnError) =>
          formOf(a).map(_.negate)
            .filter(form => failOnError || !mayWrap(e.dataType) || holds(e.dataType, form))
        case ShiftedTimestamp(start, interval) if interval.foldable =>
          shiftedTimestamp(e, start, interval)
        case SubtractTimestamps(a, b, false, _) => timestampDifference(e, a, b)
        case SubtractDates(a, b, false) => difference(a, b).map(inMicros)
        case DateDiff(end, start) => daysBetween(start, end)
        case DateAdd(date, days) if days.foldable => shiftedDate(date, formOf(days))
        case DateSub(date, days) if days.foldable => shiftedDate(date, formOf(days).map(_.negate))
        case c: Cast if keepsValue(c.child.dataType, c.dataType) => formOf(c.child)
        case _ => None
      }).orElse(term(e))

  private[this] def difference(a: Expression, b: Expression): Option[Linear] =
    formOf(a).zip(formOf(b).map(_.negate)).flatMap(plus)

  private[this] def arithmetic(e: Expression, a: Expression, b: Expression, mode: EvalMode.Value)(
      combine: (Linear, Linear) => Option[Linear]
  ): Option[Linear] =
    for {
      x <- formOf(a)
      y <- formOf(b)
      sum <- combine(x, y)
      read <- if (isFloating(e.dataType)) rounded(e.dataType, x, y, sum) else whole(e, mode, sum)
    } yield read

  /** A sum of whole numbers: where it overflows Spark raises an error or gives NULL, or else it must not. */
  private[this] def whole(e: Expression, mode: EvalMode.Value, sum: Linear): Option[Linear] =
    e.dataType match {
      case _: DecimalType => Some(sum)
      case t if holds(t, sum) => Some(sum)
      case _ if mode == EvalMode.LEGACY => None
      case _ => Some(if (mode == EvalMode.ANSI) sum else sum.inexact)
    }

  /** A difference of numbers that were rounded before may be NaN, where they are too large, without either being so. */
  private[this] def rounded(t: DataType, x: Linear, y: Linear, sum: Linear): Option[Linear] =
    if (sum.isCrossing && !(x.rounding.isNone && y.rounding.isNone)) None
    else {
      val added = Seq(x, y).filter(_.isConstant).map(_.farthest.toDouble).sum
      val before = sum.rounding.copy(reach = sum.rounding.reach + added)
      val after = before.rounded(t == FloatType, sum.farthest.toDouble)
      Some(sum.copy(rounding = after).inexact).filter(_ => after.isFinite)
    }

  /** Whether a value of this type can be whatever the form's may be. */
  def holds(t: DataType, form: Linear): Boolean = integerWidth(t).exists { width =>
    val terms = (form.left ++ form.right).map(term => magnitude(term.expression.dataType))
    form.wraps.circle.isEmpty && form.rounding.isNone && terms.forall(_.nonEmpty) && {
      val most = terms.flatten.sum * form.scale
      val end = BigDecimal(BigInt(1) << (8 * width - 1))
      form.offset.low - most >= -end && form.offset.high + most < end
    }
  }

  private[this] def inMicros(days: Linear): Linear =
    days.copy(
      scale = MicrosPerDay,
      offset = days.offset.copy(
        days.offset.low * MicrosPerDay,
        days.offset.high * MicrosPerDay
      )
    )

  private[this] def daysBetween(start: Expression, end: Expression): Option[Linear] =
    for {
      from <- term(start)
      to <- term(end)
      days <- to.plus(from.negate)
    } yield {
      val rightLast = days.right.exists(_.positive)
      val circle = if (rightLast) Linear.RightLessLeft else Linear.LeftLessRight
      days.inexact.copy(wraps = days.wraps.copy(circle = Some(circle)))
    }

  private[this] def shiftedDate(date: Expression, days: Option[Linear]): Option[Linear] =
    for {
      from <- formOf(date)
      by <- days
      sum <- from.plus(by)
      moved = by.offset.low
      left = sum.wraps.leftDays + (if (sum.left.nonEmpty) moved else BigDecimal(0))
      right = sum.wraps.rightDays + (if (sum.right.nonEmpty) moved else BigDecimal(0))
      if Seq(left, right).forall(_.abs <= (1L << 31))
    } yield
      if (moved == 0) sum
      else sum.copy(wraps = sum.wraps.copy(leftDays = left, rightDays = right))

  private[this] def shiftedTimestamp(
      e: Expression,
      start: Expression,
      interval: Expression
  ): Option[Linear] = {
    val slack = if (e.dataType == TimestampType) zoneSpread(zoneOf(e)) else BigDecimal(0)
    val offset = valueOf(interval) match {
      case Some(micros: Long) =>
        val exactly = Linear.constant(BigDecimal(micros))
        Some(if (math.abs(micros) < MicrosPerDay) exactly else exactly.widen(slack))
      case Some(c: CalendarInterval) =>
        // Two steps may each meet a change of the zone's offset.
        val steps = if (c.months != 0 && c.days != 0) 2 else 1
        Some(calendarOffset(c).widen(slack * steps).inexact)
      case _ => None
    }
    formOf(start).zip(offset).flatMap(plus)
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
    val usable = e.deterministic && references.nonEmpty && TermType.from(e.dataType).nonEmpty
    def form(l: Option[Term], r: Option[Term]) =
      Linear(l, r, 1L, Linear.Offset(0, 0, exact = true))
    if (!usable) None
    else if (references.subsetOf(left)) Some(form(Some(Term(e, positive = true)), None))
    else if (references.subsetOf(right)) Some(form(None, Some(Term(e, positive = true))))
    else None
  }
}

object LinearForm {
  val MicrosPerDay: Long = 86400000000L

  private def isFloating(t: DataType): Boolean = t == FloatType || t == DoubleType

  /** The largest absolute value of a type whose values are whole numbers of no more than 64 bits. */
  def magnitude(t: DataType): Option[BigDecimal] = t match {
    case DateType => magnitude(IntegerType)
    case other => integerWidth(other).map(width => BigDecimal(BigInt(1) << (8 * width - 1)))
  }

  /** The bytes of an integer type. */
  private def integerWidth(t: DataType): Option[Int] = t match {
    case ByteType | ShortType | IntegerType | LongType => Some(t.defaultSize)
    case _ => None
  }

  /** Whether negation and absolute value wrap around in the type where they do not raise. */
  def mayWrap(t: DataType): Boolean = t match {
    case _: DecimalType => false
    case other => !isFloating(other)
  }

  /** Arithmetic of decimals is read through where the result has room for all digits of any sum, so that it neither
    * overflows nor is rounded.
    */
  private def readable(e: Expression, a: Expression, b: Expression): Boolean =
    (e.dataType, a.dataType, b.dataType) match {
      case (sum: DecimalType, x: DecimalType, y: DecimalType) =>
        sum.scale >= math.max(x.scale, y.scale) &&
        wholeDigits(sum) > math.max(wholeDigits(x), wholeDigits(y))
      case (t, _, _) => isFloating(t) || integerWidth(t).nonEmpty
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
    case _: NumericType | _: DayTimeIntervalType =>
      valueOf(e).flatMap(numberOf).map(Linear.constant)
    case _ => None
  }

  /** None where the constant cannot be evaluated: it is for Spark to say so, if it comes to that. */
  private def valueOf(constant: Expression): Option[Any] = Try(constant.eval()).toOption

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
    Linear(None, None, 1L, Linear.Offset(ends.min, ends.max, exact = false))
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
