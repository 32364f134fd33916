package io.scalegate.spark.bounds

import org.apache.spark.sql.catalyst.expressions.Expression

/** An expression over one input, added or subtracted. */
final case class Term(expression: Expression, positive: Boolean) {
  def negate: Term = copy(positive = !positive)
}
