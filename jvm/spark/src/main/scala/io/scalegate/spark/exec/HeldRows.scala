package io.scalegate.spark.exec

import java.util.Arrays
import java.util.stream.IntStream

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.join.RowIndex
import io.scalegate.stream.Side

/** Rows and the index that numbers them.
  *
  * @param parts
  *   the rows in the index's order, [[IndexedRows.PartRows]] of them in each
  */
final private[exec] class IndexedRows(val index: RowIndex, parts: Array[RowStore]) {

  /** Makes `row` the one of this number. */
  def point(row: UnsafeRow, number: Int): Unit =
    parts(number / IndexedRows.PartRows).point(row, number % IndexedRows.PartRows)

  /** A row of its own. */
  def row(number: Int): UnsafeRow =
    parts(number / IndexedRows.PartRows).row(number % IndexedRows.PartRows)
}

private[exec] object IndexedRows {

  /** A constant power of two, so that to divide by it is to shift. */
  final val PartRows = 1 << 15
}

/** The rows of one side of a join as they come, to be indexed once all are there. Rows with a NULL among
  * their attributes match nothing and are left out of the index. One thread.
  *
  * @param whole
  *   whether those are kept beside it
  * @param expected
  *   the rows to be ready for
  */
final private[exec] class HeldRows(
    attributes: AttributeReader,
    by: IndexBy,
    columns: Int,
    expected: Int,
    whole: Boolean = false
) {
  import IndexedRows.PartRows

  private[this] val keys = Array.fill(by.types.length)(new Array[Long](expected))
  private[this] var rows = new Array[UnsafeRow](expected)
  private[this] var count = 0
  private[this] val others = mutable.ArrayBuffer.empty[UnsafeRow]

  def size: Int = count + others.length

  /** Keeps a row if it can match anything, or if all are to be kept.
    *
    * @param kept
    *   the row in a form that stays valid; asked for only then
    */
  def add(row: InternalRow, kept: => UnsafeRow): Unit =
    if (attributes.read(row)) {
      if (count == rows.length) grow()
      var i = 0
      while (i < keys.length) {
        keys(i)(count) = attributes.keys(i)
        i += 1
      }
      rows(count) = kept
      count += 1
    } else if (whole) others += kept

  /** Rows that can match nothing. */
  def unmatchable: Iterator[InternalRow] = others.iterator

  /** The index of the rows, which are the join's `side`. This has none of them any more then. */
  def index(side: Side): IndexedRows = indexed(side, _.sequential)

  /** The same, the rows copied on all of the JVM's cores, which other tasks that wait for the index leave idle. */
  def indexOnAllCores(side: Side): IndexedRows = indexed(side, _.parallel)

  private[this] def indexed(side: Side, run: IntStream => IntStream): IndexedRows = {
    val index = by.index(side, keys.toVector.map(Arrays.copyOf(_, count)))
    val parts = new Array[RowStore]((count + PartRows - 1) / PartRows)
    run(IntStream.range(0, parts.length)).forEach(i => parts(i) = part(index, i))
    rows = Array.empty
    new IndexedRows(index, parts)
  }

  private[this] def part(index: RowIndex, i: Int): RowStore = {
    val end = math.min(count, (i + 1) * PartRows)
    val store = new RowStore(columns, end - i * PartRows)
    for (n <- i * PartRows until end) store.add(rows(index.order(n)))
    store
  }

  /** Gives the rows back one by one and lets go of each. */
  def drain(): Iterator[InternalRow] = Iterator.range(0, count).map { n =>
    val row = rows(n)
    rows(n) = null
    row
  }

  private[this] def grow(): Unit = {
    val capacity = math.max(16, count + count / 2)
    keys.indices.foreach(i => keys(i) = Arrays.copyOf(keys(i), capacity))
    rows = Arrays.copyOf(rows, capacity)
  }
}
