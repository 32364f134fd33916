package io.scalegate.spark.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection}
import org.apache.spark.sql.types._

/** Finds the values of some terms: in the row itself where all are columns of it that any kind of row gives as the
  * integer or number that they are stored as, so that none is copied; else in a row that is made of the terms. Made and
  * used within a task; one thread. It holds the terms of one row.
  *
  * @param terms
  *   over `input`, the row's columns
  */
final private[spark] class LocatedTerms(terms: Seq[Expression], input: Seq[Attribute]) {
  private[this] val columns = terms.map {
    case column: Attribute if isPlain(column.dataType) =>
      input.indexWhere(_.exprId == column.exprId)
    case _ => -1
  }
  private[this] val projection =
    if (columns.contains(-1)) UnsafeProjection.create(terms, input) else null

  /** Where in the row of [[rowOf]] each term lies. */
  val ordinals: Array[Int] =
    if (projection == null) columns.toArray else terms.indices.toArray

  /** The row that has the terms of this one; valid until the next is asked for. */
  def rowOf(row: InternalRow): InternalRow = if (projection == null) row else projection(row)

  /** Not so a decimal: rows that are not Spark's binary ones hold an object. */
  private[this] def isPlain(of: DataType): Boolean = of match {
    case ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType | DateType |
        TimestampType | TimestampNTZType =>
      true
    case _ => false
  }
}
