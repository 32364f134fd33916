package io.scalegate.spark.extract

import org.apache.spark.sql.catalyst.expressions.Expression

/** The value of an expression over a join's two inputs, as
  * `scale · (± left ± right) + offset`, where each term is an expression over one input alone.
  *
  * The offset is known to lie in `[low, high]`. It is a range, not a number, where the value depends on
  * the row in a way that is bounded but not constant: a calendar day is 23 to 25 hours long.
  *
  * @param exact
  *   whether the expression's value is exactly this form in every row for which it has a value at all
  */
final case class Linear(
    left: Option[Term],
    right: Option[Term],
    scale: Long,
    low: BigDecimal,
    high: BigDecimal,
    exact: Boolean
) {
  def isConstant: Boolean = left.isEmpty && right.isEmpty

  def negate: Linear =
    copy(left.map(_.negate), right.map(_.negate), low = -high, high = -low)

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
          low + other.low,
          high + other.high,
          exact && other.exact
        )
      )
  }

  def inexact: Linear = copy(exact = false)

  /** The same form with an offset that may be off by up to `slack` either way. */
  def widen(slack: BigDecimal): Linear =
    if (slack == 0) this else copy(low = low - slack, high = high + slack, exact = false)
}

object Linear {
  def constant(value: BigDecimal): Linear = Linear(None, None, 1L, value, value, exact = true)
}

/** An expression over one input, added or subtracted. */
final case class Term(expression: Expression, positive: Boolean) {
  def negate: Term = copy(positive = !positive)
}
