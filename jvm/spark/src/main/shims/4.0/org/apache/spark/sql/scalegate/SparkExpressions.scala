package org.apache.spark.sql.scalegate

import org.apache.spark.sql.catalyst.expressions.{
  Add,
  BinaryArithmetic,
  CollationKey,
  Divide,
  EvalMode,
  Expression,
  IntegralDivide,
  Multiply,
  Pmod,
  Remainder,
  Subtract,
  TimeAdd
}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.types.StringType

/** What Spark's releases have of expressions in other forms. */
object SparkExpressions {
  def evalMode(arithmetic: BinaryArithmetic): EvalMode.Value = arithmetic match {
    case a: Add => a.evalMode
    case a: Subtract => a.evalMode
    case a: Multiply => a.evalMode
    case a: Divide => a.evalMode
    case a: IntegralDivide => a.evalMode
    case a: Remainder => a.evalMode
    case a: Pmod => a.evalMode
    case _ => EvalMode.LEGACY
  }

  /** A timestamp and the interval that is added to it. */
  object ShiftedTimestamp {
    def unapply(e: Expression): Option[(Expression, Expression)] = e match {
      case TimeAdd(start, interval, _) => Some((start, interval))
      case _ => None
    }
  }

  /** A key whose bytes are the same where a collation takes texts for the same.
    *
    * @throws java.lang.IllegalArgumentException
    *   where such texts lie within an array or a struct, which this Spark has no form for
    */
  def collated(key: Expression): Expression = key.dataType match {
    case t if UnsafeRowUtils.isBinaryStable(t) => key
    case _: StringType => CollationKey(key)
    case t =>
      throw new IllegalArgumentException(
        s"a key of type ${t.sql} has texts with a collation within it, which Spark 4.0 cannot compare as a key: " +
          "give the texts as keys of their own, or use Spark 4.1 or later"
      )
  }
}
