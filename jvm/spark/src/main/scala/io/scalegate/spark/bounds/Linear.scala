package io.scalegate.spark.bounds

import io.scalegate.band.Rounding

/** The value of an expression over a join's two inputs, as
  * `scale · (± left ± right) + offset`, where each term is an expression over one input alone.
  *
  * The offset is known to lie in `[low, high]`. It is a range, not a number, where the value depends on
  * the row in a way that is bounded but not constant: a calendar day is 23 to 25 hours long.
  *
  * @param rounding
  *   by how much Spark's value may differ from the form, for having rounded sums of floating-point numbers
  */
final case class Linear(
    left: Option[Term],
    right: Option[Term],
    scale: Long,
    offset: Linear.Offset,
    rounding: Rounding = Rounding.None,
    wraps: Linear.Wraps = Linear.Wraps()
) {
  import offset.{exact, high, low}
  import wraps.{circle, leftDays, rightDays}
  def isConstant: Boolean = left.isEmpty && right.isEmpty

  /** Whether it depends on rows of both inputs. */
  def isCrossing: Boolean = left.nonEmpty && right.nonEmpty

  def negate: Linear = copy(
    left.map(_.negate),
    right.map(_.negate),
    offset = offset.copy(-high, -low),
    wraps = wraps.copy(-leftDays, -rightDays)
  )

  /** The sum, unless it needs two terms of one input or terms of two scales. */
  def plus(other: Linear): Option[Linear] = {
    val overlap =
      (left.nonEmpty && other.left.nonEmpty) || (right.nonEmpty && other.right.nonEmpty)
    val scales = Seq(this, other).filterNot(_.isConstant).map(_.scale).distinct
    if (overlap || scales.size > 1) None
    else
      Some(
        Linear(
          left.orElse(other.left),
          right.orElse(other.right),
          scales.headOption.getOrElse(1L),
          Linear.Offset(
            low + other.offset.low,
            high + other.offset.high,
            exact && other.offset.exact
          ),
          rounding.and(other.rounding),
          Linear.Wraps(
            leftDays + other.wraps.leftDays,
            rightDays + other.wraps.rightDays,
            circle.orElse(other.wraps.circle)
          )
        )
      )
  }

  def inexact: Linear = copy(offset = offset.copy(exact = false))

  /** The same form with an offset that may be off by up to `slack` either way. */
  def widen(slack: BigDecimal): Linear =
    if (slack == 0) this
    else copy(offset = Linear.Offset(low - slack, high + slack, exact = false))

  /** The largest absolute value that the offset may have. */
  def farthest: BigDecimal = low.abs.max(high.abs)
}

object Linear {

  /** @param exact
    *   whether the expression's value is exactly the form's in every row for which it has a value at all, and in which
    *   no date wraps around
    */
  final case class Offset(low: BigDecimal, high: BigDecimal, exact: Boolean)

  /** How a form's dates may wrap around in 32 bits.
    *
    * @param leftDays
    *   days that are added to the left term, a date: the sum may wrap around, so that the form's value is less by 2^32
    *   if they are more than zero, or more if they are less. They are part of the offset; `rightDays` likewise
    * @param circle
    *   whether the form is a difference of two dates, which wraps around: of the right date less the left one, or the
    *   other way round
    */
  final case class Wraps(
      leftDays: BigDecimal = 0,
      rightDays: BigDecimal = 0,
      circle: Option[Circle] = None
  ) {
    def isNone: Boolean = leftDays == 0 && rightDays == 0 && circle.isEmpty
  }

  /** Which date is subtracted from which. */
  sealed trait Circle
  case object RightLessLeft extends Circle
  case object LeftLessRight extends Circle

  def constant(value: BigDecimal): Linear =
    Linear(None, None, 1L, Offset(value, value, exact = true))
}
