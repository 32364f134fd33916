package io.scalegate.spark.join.stream.state

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.lookup.{RowMarks, RunRows}
import io.scalegate.spark.rows.RowStore

/** The rows of a run, by the numbers that the run gives them. Nothing of it changes; any thread, each with a row of its
  * own to point.
  *
  * @param order
  *   of each row its number in the store, null where the numbers are the same
  * @param ids
  *   of each row what names it in the checkpoint, null on a side whose rows are not decided on
  * @param matched
  *   the rows that matched something, of a side whose rows are decided on; never changed
  */
final private[scalegate] class StoredRows(
    store: RowStore,
    order: Array[Int],
    val ids: Array[Long],
    val matched: RowMarks
) {
  def size: Int = if (order == null) store.size else order.length

  def bytes: Long = store.bytes

  /** Makes `row` the one of this number. */
  def point(row: UnsafeRow, number: Int): Unit = store.point(row, inStore(number))

  /** In what the row of this number lies. */
  def base(number: Int): AnyRef = store.base(inStore(number))

  /** Where in it. */
  def offset(number: Int): Long = store.offset(inStore(number))

  /** A row of its own. */
  def row(number: Int): UnsafeRow = store.row(inStore(number))

  private[this] def inStore(number: Int) = if (order == null) number else order(number)

  def withMatched(others: RowMarks): StoredRows = new StoredRows(store, order, ids, others)
}

private[scalegate] object StoredRows {

  /** Rows that are not decided on. */
  def plain(store: RowStore, order: Array[Int]): StoredRows =
    new StoredRows(store, order, null, null)
}

/** Puts the rows of runs together. It holds no rows; any thread.
  *
  * @param decided
  *   whether a decision is due about each row of this side
  * @param onlyUnmatched
  *   whether a row that has matched is of no use any more
  */
final private[scalegate] class StoredRowsKeeper(
    columns: Int,
    decided: Boolean,
    onlyUnmatched: Boolean
) extends RunRows[StoredRows] {
  def isKept(rows: StoredRows, number: Int): Boolean =
    !onlyUnmatched || !rows.matched.contains(number)

  def gather(from: IndexedSeq[StoredRows], numbers: Array[Long]): StoredRows = {
    val store = new RowStore(columns, numbers.length)
    val ids = if (decided) new Array[Long](numbers.length) else null
    val matched = if (decided) new RowMarks else null
    val sources = from.toArray
    val row = new UnsafeRow(columns)
    var n = 0
    while (n < numbers.length) {
      val source = sources((numbers(n) >>> 32).toInt)
      val number = numbers(n).toInt
      source.point(row, number)
      store.add(row)
      if (decided) {
        ids(n) = source.ids(number)
        if (source.matched.contains(number)) matched.add(n)
      }
      n += 1
    }
    new StoredRows(store, null, ids, matched)
  }
}
