package io.scalegate.spark.streaming

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.join.RadixOrder

/** Rows of one side in the order of their times.
  *
  * @param keys
  *   the i-th array holds the i-th bounded attribute of every row
  * @param time
  *   which of these is the time
  */
final private[streaming] class RowBatch(
    val keys: IndexedSeq[Array[Long]],
    val stored: StoredRows,
    time: Int
) {
  def size: Int = keys.head.length

  def timeOf(place: Int): Long = keys(time)(place)

  /** Where the rows begin whose times lie above this one. */
  def firstAfter(bound: Long): Int = {
    val at = Arrays.binarySearch(keys(time), bound)
    var first = if (at < 0) -at - 1 else at
    while (first < size && timeOf(first) == bound) first += 1
    first
  }

  /** These rows and the others, and where in the order of both each of them lies. */
  def merged(others: RowBatch, keeper: StoredRowsKeeper, columns: Int): RowBatch =
    if (others.size == 0) this
    else if (size == 0) others
    else {
      val both = Vector(this, others)
      val all = both.indices.flatMap(i => places(i, 0, both(i).size)).toArray
      val times = all.map(p => both((p >>> 32).toInt).timeOf(p.toInt))
      val order = RowBatch.canonical(times, columns) { (row, n) =>
        both((all(n) >>> 32).toInt).stored.point(row, all(n).toInt)
      }
      RowBatch.gathered(both, order.map(all(_)), keeper, time)
    }

  /** The rows from `from` up to, and without, `until`, copied. */
  def slice(from: Int, until: Int, keeper: StoredRowsKeeper): RowBatch =
    if (from == 0 && until == size) this
    else RowBatch.gathered(Vector(this), places(0, from, until), keeper, time)

  private[this] def places(batch: Int, from: Int, until: Int): Array[Long] =
    Array.range(from, until).map(n => (batch.toLong << 32) | n.toLong)
}

private[streaming] object RowBatch {

  /** The numbers of rows by their times and, where these are equal, by their bytes: an order that does not depend on the
    * one they came in.
    */
  def canonical(times: Array[Long], columns: Int)(point: (UnsafeRow, Int) => Unit): Array[Int] = {
    val order = RadixOrder.by(times, Array.range(0, times.length))
    val runs = RadixOrder.runs(times, order)
    val a = new UnsafeRow(columns)
    val b = new UnsafeRow(columns)
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

  /** By their bytes. */
  def compare(a: UnsafeRow, b: UnsafeRow): Int =
    if (a == b) 0 else Arrays.compare(a.getBytes, b.getBytes)

  private def gathered(
      from: Vector[RowBatch],
      places: Array[Long],
      keeper: StoredRowsKeeper,
      time: Int
  ): RowBatch = {
    val keys = from.head.keys.indices.map { i =>
      places.map(p => from((p >>> 32).toInt).keys(i)(p.toInt))
    }
    new RowBatch(keys, keeper.gather(from.map(_.stored), places), time)
  }
}
