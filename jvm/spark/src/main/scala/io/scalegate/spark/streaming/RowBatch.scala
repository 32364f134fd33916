package io.scalegate.spark.streaming

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.join.RadixOrder

/** Rows of one side in the order of their times.
  *
  * @param keys
  *   the i-th array holds the i-th bounded attribute of every row, and their times where the window slides
  * @param time
  *   which of these is the time
  */
final private[streaming] class RowBatch(
    val keys: IndexedSeq[Array[Long]],
    val stored: StoredRows,
    time: Int
) {
  def size: Int = keys.head.length

  def times: Array[Long] = keys(time)

  def timeOf(place: Int): Long = keys(time)(place)

  /** Where the rows begin whose times lie above this one. */
  def firstAfter(bound: Long): Int = RowBatch.firstAfter(times, bound)

  /** These rows and the others, and where in the order of both each of them lies. */
  def merged(others: RowBatch, keeper: StoredRowsKeeper, columns: Int): RowBatch =
    if (others.size == 0) this
    else if (size == 0) others
    else {
      val both = Vector(this, others)
      val all = both.indices.flatMap(i => RowBatch.places(i, 0, both(i).size)).toArray
      val times = all.map(p => both((p >>> 32).toInt).timeOf(p.toInt))
      val order = RowBatch.canonical(times, columns) { (row, n) =>
        both((all(n) >>> 32).toInt).stored.point(row, all(n).toInt)
      }
      RowBatch.gathered(both, order.map(all(_)), keeper, time)
    }

  /** The rows from `from` up to, and without, `until`, copied. */
  def slice(from: Int, until: Int, keeper: StoredRowsKeeper): RowBatch =
    if (from == 0 && until == size) this
    else RowBatch.gathered(Vector(this), RowBatch.places(0, from, until), keeper, time)

}

private[streaming] object RowBatch {

  /** Rows of which nothing but the times is known, in their order. */
  def lone(times: Array[Long], rows: StoredRows, attributes: Int, time: Int): RowBatch =
    new RowBatch(IndexedSeq.fill(attributes)(times), rows, time)

  /** Where in a sorted array the numbers begin that lie above this one. */
  def firstAfter(sorted: Array[Long], bound: Long): Int = {
    var low = 0
    var high = sorted.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (sorted(middle) <= bound) low = middle + 1 else high = middle
    }
    low
  }

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

  /** Rows of a batch among several, as [[StoredRowsKeeper.gather]] takes them. */
  def places(batch: Int, from: Int, until: Int): Array[Long] =
    Array.range(from, until).map(n => (batch.toLong << 32) | n.toLong)

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
