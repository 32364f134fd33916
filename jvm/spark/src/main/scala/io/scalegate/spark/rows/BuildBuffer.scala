package io.scalegate.spark.rows

import java.util.Arrays
import java.util.stream.IntStream

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

import io.scalegate.lookup.RowIndex
import io.scalegate.stream.Side

/** Rows and the index that numbers them. Nothing of it changes, so that any number of threads may read it, each with a
  * row of its own to point.
  */
abstract private[scalegate] class IndexedRows(val index: RowIndex, val columns: Int) {

  /** Makes `row` the one of this number. */
  def point(row: UnsafeRow, number: Int): Unit

  /** A row of its own. */
  def row(number: Int): UnsafeRow = {
    val one = new UnsafeRow(columns)
    point(one, number)
    one
  }

  /** In what the row of this number lies. */
  def base(number: Int): AnyRef

  /** Where in it. */
  def offset(number: Int): Long
}

private[scalegate] object IndexedRows {

  /** Copies of the rows, in the order of their numbers.
    *
    * @param size
    *   of each of them, if all are of one
    * @param run
    *   on how many threads
    */
  def copied(rows: IndexedRows, size: Option[Int], run: IntStream => IntStream): IndexedRows =
    size.fold(unevenly(rows, run))(evenly(rows, _, run))

  private[this] def evenly(
      rows: IndexedRows,
      size: Int,
      run: IntStream => IntStream
  ): IndexedRows = {
    val shift = EvenRows.shift(size)
    val parts = new Array[Array[Byte]](partsOf(rows, 1 << shift))
    run(IntStream.range(0, parts.length)).forEach { i =>
      val first = i << shift
      val end = math.min(rows.index.rows, first + (1 << shift))
      val part = new Array[Byte](Math.multiplyExact(end - first, size))
      for (n <- first until end)
        Platform.copyMemory(
          rows.base(n),
          rows.offset(n),
          part,
          EvenRows.offset(n - first, size),
          size.toLong
        )
      parts(i) = part
    }
    new EvenRows(rows.index, rows.columns, size, shift, parts)
  }

  private[this] def unevenly(rows: IndexedRows, run: IntStream => IntStream): IndexedRows = {
    import UnevenRows.PartRows
    val parts = new Array[RowStore](partsOf(rows, PartRows))
    run(IntStream.range(0, parts.length)).forEach { i =>
      val end = math.min(rows.index.rows, (i + 1) * PartRows)
      val store = new RowStore(rows.columns, end - i * PartRows)
      val row = new UnsafeRow(rows.columns)
      for (n <- i * PartRows until end) {
        rows.point(row, n)
        store.add(row)
      }
      parts(i) = store
    }
    new UnevenRows(rows.index, rows.columns, parts)
  }

  private[this] def partsOf(rows: IndexedRows, partRows: Int): Int =
    (rows.index.rows + partRows - 1) / partRows
}

/** Rows of one size, whose addresses are computed from their numbers.
  *
  * @param parts
  *   the rows in the index's order, as many in each as two to the power of `shift`
  */
final private[scalegate] class EvenRows(
    index: RowIndex,
    columns: Int,
    size: Int,
    shift: Int,
    parts: Array[Array[Byte]]
) extends IndexedRows(index, columns) {
  private[this] val mask = (1 << shift) - 1

  def point(row: UnsafeRow, number: Int): Unit =
    row.pointTo(base(number), offset(number), size)

  def base(number: Int): AnyRef = parts(number >>> shift)

  def offset(number: Int): Long = EvenRows.offset(number & mask, size)
}

private[scalegate] object EvenRows {

  /** Where the row lies in its part. */
  def offset(number: Int, size: Int): Long =
    Platform.BYTE_ARRAY_OFFSET.toLong + number.toLong * size

  /** The power of two that is the number of rows in a part, which the garbage collectors must not take for a huge
    * object of its own.
    */
  def shift(size: Int): Int = {
    var rows = 15
    while (rows > 0 && (size.toLong << rows) > PartBytes) rows -= 1
    rows
  }

  private[this] val PartBytes = 1 << 18
}

/** Rows of any sizes.
  *
  * @param parts
  *   the rows in the index's order, [[UnevenRows.PartRows]] of them in each
  */
final private[scalegate] class UnevenRows(index: RowIndex, columns: Int, parts: Array[RowStore])
    extends IndexedRows(index, columns) {
  import UnevenRows.PartRows

  def point(row: UnsafeRow, number: Int): Unit =
    parts(number / PartRows).point(row, number % PartRows)

  def base(number: Int): AnyRef = parts(number / PartRows).base(number % PartRows)

  def offset(number: Int): Long = parts(number / PartRows).offset(number % PartRows)
}

private[scalegate] object UnevenRows {

  /** A constant power of two, so that to divide by it is to shift. */
  final val PartRows = 1 << 15
}

/** Rows that lie in the order in which they came. */
final private class StoredRows(index: RowIndex, columns: Int, rows: RowStore)
    extends IndexedRows(index, columns) {
  def point(row: UnsafeRow, number: Int): Unit = rows.point(row, index.order(number))

  def base(number: Int): AnyRef = rows.base(index.order(number))

  def offset(number: Int): Long = rows.offset(index.order(number))
}

/** The rows of a join's build side as they come, to be indexed once all are there. Rows with a NULL among their
  * attributes are unmatchable and left out of the index.
  *
  * One thread, the task's. It holds copies of the rows that it is given and eight bytes for each attribute of each; its
  * caller reserves the memory for them.
  *
  * @param whole
  *   whether those are kept beside it
  * @param expected
  *   the rows to be ready for
  */
final private[scalegate] class BuildBuffer(
    attributes: AttributeReader,
    by: IndexBy,
    columns: Int,
    expected: Int,
    whole: Boolean = false
) {
  private[this] val keys = Array.fill(by.types.length)(new Array[Long](expected))
  private[this] var rows = new RowStore(columns, expected)
  private[this] val others = new RowStore(columns)

  def size: Int = rows.size + others.size

  /** Keeps a copy of a row if it can match anything, or if all are to be kept. */
  def add(row: UnsafeRow): Unit =
    if (attributes.read(row)) {
      val count = rows.size
      if (count == keys(0).length) grow(math.max(16, count + count / 2))
      var i = 0
      while (i < keys.length) {
        keys(i)(count) = attributes.keys(i)
        i += 1
      }
      rows.add(row)
    } else if (whole) others.add(row)

  /** Keeps rows for as long as there is memory for them, in bytes `least` all the same and `most` at the most; false when
    * there was no more. While the index is built rows and attributes are held twice.
    */
  def fill(
      from: Iterator[UnsafeRow],
      memory: WindowMemory,
      least: Long = 0,
      most: Long = Long.MaxValue
  ): Boolean = {
    var bytes = 0L
    var fits = true
    while (fits && from.hasNext) {
      val row = from.next()
      add(row)
      bytes += 2L * (row.getSizeInBytes + keys.length * java.lang.Long.BYTES)
      fits = bytes < most && (memory.tryReserve(size.toLong, bytes) || bytes < least)
    }
    fits
  }

  /** Rows that can match nothing, each valid until the next is asked for. */
  def unmatchable: Iterator[UnsafeRow] = others.iterator

  /** The index of the rows, which are the join's `side`. This has none of them any more then. */
  def index(side: Side): IndexedRows = {
    val all = rows
    val index = by.index(side, keys.toVector.map(Arrays.copyOf(_, all.size)), all.point)
    val inPlace = new StoredRows(index, columns, all)
    rows = new RowStore(columns)
    if (by.findsNeighbours) IndexedRows.copied(inPlace, all.rowSize, _.sequential) else inPlace
  }

  /** Gives the rows back one by one, each valid until the next is asked for, and lets go of them on the way. */
  def drain(): Iterator[UnsafeRow] = rows.drain()

  private[this] def grow(capacity: Int): Unit =
    keys.indices.foreach(i => keys(i) = Arrays.copyOf(keys(i), capacity))
}
