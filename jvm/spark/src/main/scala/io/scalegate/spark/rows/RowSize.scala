package io.scalegate.spark.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** How many bytes a kept row holds. */
object RowSize {
  def inBytes(row: InternalRow): Long = row match {
    case u: UnsafeRow => u.getSizeInBytes.toLong
    case other => 16L * other.numFields
  }
}
