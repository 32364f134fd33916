package org.apache.spark.sql.scalegate

import org.apache.spark.sql.catalyst.expressions.{
  BinaryArithmetic,
  CollationKey,
  EvalMode,
  Expression,
  TimestampAddInterval
}

/** What Spark's releases have of expressions in other forms. */
object SparkExpressions {
  def evalMode(arithmetic: BinaryArithmetic): EvalMode.Value = arithmetic.evalMode

  /** A timestamp and the interval that is added to it. */
  object ShiftedTimestamp {
    def unapply(e: Expression): Option[(Expression, Expression)] = e match {
      case TimestampAddInterval(start, interval, _) => Some((start, interval))
      case _ => None
    }
  }

  /** A key whose bytes are the same where a collation takes texts for the same. */
  def collated(key: Expression): Expression = CollationKey.injectCollationKey(key)
}
