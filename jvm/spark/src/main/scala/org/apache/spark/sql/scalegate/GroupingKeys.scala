package org.apache.spark.sql.scalegate

import org.apache.spark.sql.catalyst.expressions.{Alias, NamedExpression}
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers

/** What Spark's planner does to the keys of an aggregate. Used when an aggregate is planned. */
object GroupingKeys {

  /** The key with one NaN and one zero, under its own name. */
  def normalized(key: NamedExpression): NamedExpression =
    NormalizeFloatingNumbers.normalize(key) match {
      case named: NamedExpression => named
      case other => Alias(other, key.name)(exprId = key.exprId)
    }
}
