package io.scalegate.spark.exec

import java.util.Arrays

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.join.RowIndex
import io.scalegate.stream.Side

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
  def index(side: Side): RowIndex = {
    val ordered = new RowStore(columns)
    val all = rows
    val index =
      by.index(side, keys.toVector.map(Arrays.copyOf(_, count)), n => ordered.add(all(n)))
    rows = Array.empty
    index
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
