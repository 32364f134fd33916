package io.scalegate.spark.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

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
  private[this] val terms = new LocatedTerms(attributes, input)
  private[this] val ordinals = terms.ordinals
  private[this] val kinds = types.toArray

  /** The attributes of the row last read. */
  val keys = new Array[Long](kinds.length)

  /** False when one of the attributes is NULL: such a row matches nothing, and what `keys` holds means nothing. */
  def read(row: InternalRow): Boolean = {
    val values = terms.rowOf(row)
    var i = 0
    while (i < kinds.length && !values.isNullAt(ordinals(i))) {
      keys(i) = keyOf(values, i)
      i += 1
    }
    i == kinds.length
  }

  private[this] def keyOf(values: InternalRow, i: Int): Long = kinds(i) match {
    case AttributeType.Int32 => values.getInt(ordinals(i)).toLong
    case AttributeType.Int64 => values.getLong(ordinals(i))
    case AttributeType.Float32 => SortableKey.ofFloat(values.getFloat(ordinals(i))).toLong
    case AttributeType.Float64 => SortableKey.ofDouble(values.getDouble(ordinals(i)))
  }
}
