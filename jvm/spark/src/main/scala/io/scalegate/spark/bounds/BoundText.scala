package io.scalegate.spark.bounds

import java.math.MathContext

/** A bound as people write it: `30 minutes` on timestamps, `2 days` on dates, `0.1` on floating-point numbers. Each
  * part of a duration has its own sign, as in Spark's intervals.
  */
private[scalegate] object BoundText {
  def apply(bound: BigDecimal, termType: TermType): String = termType match {
    case TermType.TimestampTerm | TermType.TimestampNtzTerm | TermType.IntervalTerm =>
      duration(bound.toBigInt)
    case TermType.DateTerm => counted(bound.toBigInt, "day")
    case TermType.FloatTerm => rounded(bound, FloatDigits)
    case TermType.DoubleTerm => rounded(bound, DoubleDigits)
    case _ => bound.toString
  }

  /** A description of a join without the names that the Python package gives to columns of streams until the join:
    * `key of right` for `__scalegate_right_key_0`.
    */
  def withoutOwnNames(description: String): String =
    OwnNames.replaceAllIn(description, "$2 of $1")

  private[this] val OwnNames =
    "`?__scalegate_(left|right|first|second|third)_([a-z]+)(?:_?\\d+)?`?".r

  private[this] def duration(micros: BigInt): String = {
    val sign = micros.signum
    val (parts, seconds) = Units.foldLeft((Vector.empty[String], micros.abs)) {
      case ((parts, rest), (unit, size)) =>
        val (count, left) = rest /% size
        (if (count == 0) parts else parts :+ counted(count * sign, unit), left)
    }
    val inSeconds = BigDecimal(seconds * sign, 6).bigDecimal.stripTrailingZeros
    val text = inSeconds.toPlainString
    val last = if (text == "1" || text == "-1") s"$text second" else s"$text seconds"
    (if (seconds == 0 && parts.nonEmpty) parts else parts :+ last).mkString(" ")
  }

  private[this] def counted(count: BigInt, unit: String): String =
    if (count.abs == 1) s"$count $unit" else s"$count ${unit}s"

  /** A bound is a little wider than what was written, by what arithmetic may round. */
  private[this] def rounded(bound: BigDecimal, digits: Int): String = {
    val short = bound.bigDecimal.round(new MathContext(digits)).stripTrailingZeros
    if (short.precision - short.scale > digits || short.scale > 2 * digits) short.toString
    else short.toPlainString
  }

  private[this] val FloatDigits = 6
  private[this] val DoubleDigits = 14

  /** In microseconds. */
  private[this] val Units =
    Seq("day" -> 86_400_000_000L, "hour" -> 3_600_000_000L, "minute" -> 60_000_000L)
      .map { case (unit, size) => unit -> BigInt(size) }
}
