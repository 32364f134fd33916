package io.scalegate.spark.join.stream.state

import java.util.{Arrays, Comparator}

import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  BindReferences,
  InterpretedOrdering,
  RowOrdering,
  SortOrder,
  UnsafeRow
}

import io.scalegate.column.RadixOrder

/** The order of a side's rows of equal times, which does not depend on the one they came in: by those of their columns
  * that can be ordered, as the join of two batches has them, and then by their bytes. Any thread.
  *
  * @param byBytes
  *   whether by these alone, which takes less time
  */
final private[scalegate] class RowOrder(columns: Seq[Attribute], byBytes: Boolean)
    extends Comparator[UnsafeRow] {
  private[this] val byColumns = {
    val orders =
      columns.filter(c => RowOrdering.isOrderable(c.dataType)).map(SortOrder(_, Ascending))
    new InterpretedOrdering(BindReferences.bindReferences(orders, columns))
  }

  def compare(a: UnsafeRow, b: UnsafeRow): Int = {
    val first = if (byBytes) 0 else byColumns.compare(a, b)
    if (first != 0) first else if (a == b) 0 else Arrays.compare(a.getBytes, b.getBytes)
  }

  /** The numbers of rows by their times and, where these are equal, in this order.
    *
    * @param point
    *   makes a row the one of a number
    */
  def by(times: Array[Long])(point: (UnsafeRow, Int) => Unit): Array[Int] = {
    val order = RadixOrder.by(times, Array.range(0, times.length))
    val runs = RadixOrder.runs(times, order)
    val a = new UnsafeRow(columns.length)
    val b = new UnsafeRow(columns.length)
    for (i <- 0 until runs.length - 1 if runs(i + 1) - runs(i) > 1) {
      val tied = order.slice(runs(i), runs(i + 1)).sortWith { (x, y) =>
        point(a, x)
        point(b, y)
        compare(a, b) < 0
      }
      System.arraycopy(tied, 0, order, runs(i), tied.length)
    }
    order
  }
}
