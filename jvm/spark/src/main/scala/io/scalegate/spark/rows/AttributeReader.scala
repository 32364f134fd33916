package io.scalegate.spark.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Expression,
  UnsafeProjection,
  UnsafeRow
}

import io.scalegate.band.AttributeType
import io.scalegate.stream.SortableKey

/** Reads a row's bounded attributes as the sortable integers that the core compares. Made and used within a task; one
  * thread. It holds the attributes of one row.
  *
  * @param attributes
  *   over `input`, of the storage type of `types`: int, long, float, double, or what is stored as one
  */
final class AttributeReader(
    attributes: Seq[Expression],
    types: IndexedSeq[AttributeType],
    input: Seq[Attribute]
) {
  private[this] val projection = UnsafeProjection.create(attributes, input)
  private[this] val kinds = types.toArray

  /** The attributes of the row last read. */
  val keys = new Array[Long](kinds.length)

  /** False when one of the attributes is NULL: such a row matches nothing. */
  def read(row: InternalRow): Boolean = {
    val values = projection(row)
    if (values.anyNull()) false
    else {
      var i = 0
      while (i < kinds.length) {
        keys(i) = keyOf(values, i)
        i += 1
      }
      true
    }
  }

  private[this] def keyOf(values: UnsafeRow, i: Int): Long = kinds(i) match {
    case AttributeType.Int32 => values.getInt(i).toLong
    case AttributeType.Int64 => values.getLong(i)
    case AttributeType.Float32 => SortableKey.ofFloat(values.getFloat(i)).toLong
    case AttributeType.Float64 => SortableKey.ofDouble(values.getDouble(i))
  }
}
