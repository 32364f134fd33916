package org.apache.spark.sql.scalegate

import org.apache.spark.sql.catalyst.expressions.{Alias, NamedExpression}
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.types.{ArrayType, DataType, DoubleType, FloatType, StructType}

/** What Spark's planner does to the keys of an aggregate. Used when an aggregate is planned. */
object GroupingKeys {

  /** The key with one NaN and one zero, under its own name. */
  def normalized(key: NamedExpression): NamedExpression =
    NormalizeFloatingNumbers.normalize(key) match {
      case named: NamedExpression => named
      case other => Alias(other, key.name)(exprId = key.exprId)
    }

  /** Whether values may be equal and not the same: -0.0 and 0.0, and texts of some collations. Of a group of rows such a
    * key has the value of one.
    */
  def haveEquals(keys: DataType): Boolean = keys match {
    case FloatType | DoubleType => true
    case StructType(fields) => fields.exists(f => haveEquals(f.dataType))
    case ArrayType(elements, _) => haveEquals(elements)
    case other => !UnsafeRowUtils.isBinaryStable(other)
  }
}
