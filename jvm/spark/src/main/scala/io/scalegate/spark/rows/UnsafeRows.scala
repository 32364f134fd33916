package io.scalegate.spark.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection, UnsafeRow}

/** Rows in Spark's binary form, whatever they come in; each is valid until the next is asked for. Used within a task.
  */
final private[spark] class UnsafeRows(rows: Iterator[InternalRow], columns: Seq[Attribute])
    extends Iterator[UnsafeRow] {
  private[this] lazy val project = UnsafeProjection.create(columns, columns)

  def hasNext: Boolean = rows.hasNext

  def next(): UnsafeRow = rows.next() match {
    case row: UnsafeRow => row
    case row => project(row)
  }
}

private[spark] object UnsafeRows {
  def apply(rows: Iterator[InternalRow], columns: Seq[Attribute]): Iterator[UnsafeRow] =
    new UnsafeRows(rows, columns)

  /** A row of so many columns without a value. */
  def ofNulls(columns: Int): UnsafeRow = {
    val size = UnsafeRow.calculateBitSetWidthInBytes(columns) + columns * UnsafeRow.WORD_SIZE
    val row = UnsafeRow.createFromByteArray(size, columns)
    for (i <- 0 until columns) row.setNullAt(i)
    row
  }
}
