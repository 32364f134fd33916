package io.scalegate.spark.join.stream.state

import io.scalegate.spark.rows.RowOrder

/** Rows of one side in the order of their times. Nothing of it changes; any thread.
  *
  * @param keys
  *   the i-th array holds the i-th bounded attribute of every row, and their times where the window slides
  * @param time
  *   which of these is the time
  */
final private[scalegate] class RowBatch(
    val keys: IndexedSeq[Array[Long]],
    val stored: StoredRows,
    time: Int
) {
  def size: Int = keys.head.length

  def times: Array[Long] = keys(time)

  def timeOf(number: Int): Long = keys(time)(number)

  /** Where the rows begin whose times lie above this one. */
  def firstAfter(bound: Long): Int = RowBatch.firstAfter(times, bound)

  /** These rows and the others. */
  def merged(others: RowBatch, keeper: StoredRowsKeeper, inOrder: RowOrder): RowBatch =
    if (others.size == 0) this
    else if (size == 0) others
    else {
      val both = Vector(this, others)
      val all = both.indices.flatMap(i => RowBatch.numbered(i, 0, both(i).size)).toArray
      val times = all.map(p => both((p >>> 32).toInt).timeOf(p.toInt))
      val order = inOrder.numbersBy(times) { (row, n) =>
        both((all(n) >>> 32).toInt).stored.point(row, all(n).toInt)
      }
      RowBatch.gathered(both, order.map(all(_)), keeper, time)
    }

  /** The rows from `from` up to, and without, `until`, copied. */
  def slice(from: Int, until: Int, keeper: StoredRowsKeeper): RowBatch =
    if (from == 0 && until == size) this
    else RowBatch.gathered(Vector(this), RowBatch.numbered(0, from, until), keeper, time)
}

private[scalegate] object RowBatch {

  /** Rows that are unmatchable, of which nothing but the times is known, in their order. */
  def unmatchable(times: Array[Long], rows: StoredRows, attributes: Int, time: Int): RowBatch =
    new RowBatch(IndexedSeq.fill(attributes)(times), rows, time)

  /** Where in a sorted array the numbers begin that lie above this one. */
  def firstAfter(sorted: Array[Long], bound: Long): Int =
    firstAfter(sorted.length, sorted(_), bound)

  /** The same among so many numbers, each got by its index. */
  def firstAfter(size: Int, number: Int => Long, bound: Long): Int = {
    var low = 0
    var high = size
    while (low < high) {
      val middle = (low + high) >>> 1
      if (number(middle) <= bound) low = middle + 1 else high = middle
    }
    low
  }

  /** Rows of a batch among several, as [[StoredRowsKeeper.gather]] takes them. */
  def numbered(batch: Int, from: Int, until: Int): Array[Long] =
    Array.range(from, until).map(n => (batch.toLong << 32) | n.toLong)

  private def gathered(
      from: Vector[RowBatch],
      numbers: Array[Long],
      keeper: StoredRowsKeeper,
      time: Int
  ): RowBatch = {
    val keys = from.head.keys.indices.map { i =>
      numbers.map(p => from((p >>> 32).toInt).keys(i)(p.toInt))
    }
    new RowBatch(keys, keeper.gather(from.map(_.stored), numbers), time)
  }
}
