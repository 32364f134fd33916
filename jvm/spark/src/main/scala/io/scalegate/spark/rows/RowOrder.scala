package io.scalegate.spark.rows

import java.util.{Arrays, Comparator}

import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  BindReferences,
  Expression,
  InterpretedOrdering,
  RowOrdering,
  SortOrder,
  UnsafeRow
}

import io.scalegate.column.RadixOrder

/** An order of rows that does not depend on the one they came in: by some terms, and where these are equal by the rows'
  * bytes. Planned on the driver; travels to the tasks; any thread.
  *
  * @param by
  *   bound to the rows
  * @param columns
  *   of a row
  */
final private[scalegate] case class RowOrder(by: Seq[SortOrder], columns: Int)
    extends Comparator[UnsafeRow] {
  @transient private[this] lazy val terms = new InterpretedOrdering(by)

  def compare(a: UnsafeRow, b: UnsafeRow): Int = {
    val first = if (by.isEmpty) 0 else terms.compare(a, b)
    if (first != 0) first else if (a == b) 0 else Arrays.compare(a.getBytes, b.getBytes)
  }

  /** The numbers of rows by their times and, where these are equal, in this order.
    *
    * @param point
    *   makes a row the one of a number
    */
  def numbersBy(times: Array[Long])(point: (UnsafeRow, Int) => Unit): Array[Int] = {
    val order = RadixOrder.by(times, Array.range(0, times.length))
    val compared = compareNumbers(point)
    RadixOrder.settle(order, (a, b) => times(a) == times(b), (a, b) => compared(a, b))
    order
  }

  /** Compares the rows of two numbers. One thread. */
  def compareNumbers(point: (UnsafeRow, Int) => Unit): (Int, Int) => Int = {
    val (a, b) = (new UnsafeRow(columns), new UnsafeRow(columns))
    (x, y) => {
      point(a, x)
      point(b, y)
      compare(a, b)
    }
  }
}

private[scalegate] object RowOrder {

  /** By these terms over the columns, and then by all columns that can be ordered, as the join of two batches has them.
    */
  def apply(terms: Seq[Expression], columns: Seq[Attribute]): RowOrder = {
    val orders = termsOf(terms ++ columns)
    RowOrder(BindReferences.bindReferences(orders, columns), columns.length)
  }

  /** Those of the terms that can be ordered. */
  def termsOf(terms: Seq[Expression]): Seq[SortOrder] =
    terms.filter(c => RowOrdering.isOrderable(c.dataType)).map(SortOrder(_, Ascending))

  /** By the bytes alone, which takes less time. */
  def ofBytes(columns: Seq[Attribute]): RowOrder = RowOrder(Seq.empty[SortOrder], columns.length)
}
