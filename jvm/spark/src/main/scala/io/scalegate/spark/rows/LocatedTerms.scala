package io.scalegate.spark.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection}

/** Finds the values of some terms: in the row itself where all are columns of it, so that none is copied, else in a row
  * that is made of the terms. Made and used within a task; one thread. It holds the terms of one row.
  *
  * @param terms
  *   over `input`, the row's columns
  */
final private[spark] class LocatedTerms(terms: Seq[Expression], input: Seq[Attribute]) {
  private[this] val columns = terms.map {
    case column: Attribute => input.indexWhere(_.exprId == column.exprId)
    case _ => -1
  }
  private[this] val projection =
    if (columns.contains(-1)) UnsafeProjection.create(terms, input) else null

  /** Where in the row of [[rowOf]] each term lies. */
  val ordinals: Array[Int] =
    if (projection == null) columns.toArray else terms.indices.toArray

  /** The row that has the terms of this one; valid until the next is asked for. */
  def rowOf(row: InternalRow): InternalRow = if (projection == null) row else projection(row)
}
