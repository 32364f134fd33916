package io.scalegate.spark.exec

import java.util.Arrays
import java.util.stream.IntStream

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

import io.scalegate.join.RowIndex
import io.scalegate.stream.Side

/** Rows and the index that numbers them. */
sealed abstract private[exec] class IndexedRows(val index: RowIndex) {

  /** Makes `row` the one of this number. */
  def point(row: UnsafeRow, number: Int): Unit

  /** A row of its own. */
  def row(number: Int): UnsafeRow

  /** In what the row of this number lies. */
  def base(number: Int): AnyRef

  /** Where in it. */
  def offset(number: Int): Long
}

/** Rows of one size, each at a place that is known without looking it up.
  *
  * @param parts
  *   the rows in the index's order, as many in each as two to the power of `shift`
  */
final private[exec] class EvenRows(
    index: RowIndex,
    columns: Int,
    size: Int,
    shift: Int,
    parts: Array[Array[Byte]]
) extends IndexedRows(index) {
  private[this] val mask = (1 << shift) - 1

  def point(row: UnsafeRow, number: Int): Unit =
    row.pointTo(base(number), offset(number), size)

  def base(number: Int): AnyRef = parts(number >>> shift)

  def offset(number: Int): Long = EvenRows.offset(number & mask, size)

  def row(number: Int): UnsafeRow = {
    val one = new UnsafeRow(columns)
    point(one, number)
    one
  }
}

private[exec] object EvenRows {

  /** Where the row lies in its part. */
  def offset(place: Int, size: Int): Long =
    Platform.BYTE_ARRAY_OFFSET.toLong + place.toLong * size

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
final private[exec] class UnevenRows(index: RowIndex, parts: Array[RowStore])
    extends IndexedRows(index) {
  import UnevenRows.PartRows

  def point(row: UnsafeRow, number: Int): Unit =
    parts(number / PartRows).point(row, number % PartRows)

  def row(number: Int): UnsafeRow = parts(number / PartRows).row(number % PartRows)

  def base(number: Int): AnyRef = parts(number / PartRows).base(number % PartRows)

  def offset(number: Int): Long = parts(number / PartRows).offset(number % PartRows)
}

private[exec] object UnevenRows {

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
  private val keys = Array.fill(by.types.length)(new Array[Long](expected))
  private var rows = new Array[UnsafeRow](expected)
  private var count = 0
  private var rowSize = 0
  private var even = true // all rows are of that size
  private[this] val others = mutable.ArrayBuffer.empty[UnsafeRow]

  def size: Int = count + others.length

  /** Keeps a row if it can match anything, or if all are to be kept.
    *
    * @param kept
    *   the row in a form that stays valid; asked for only then
    */
  def add(row: UnsafeRow, kept: => UnsafeRow): Unit =
    if (attributes.read(row)) {
      if (count == rows.length) grow(math.max(16, count + count / 2))
      var i = 0
      while (i < keys.length) {
        keys(i)(count) = attributes.keys(i)
        i += 1
      }
      val size = row.getSizeInBytes
      if (count == 0) rowSize = size else even &&= size == rowSize
      rows(count) = kept
      count += 1
    } else if (whole) others += kept

  /** Takes the rows over that another holds for the index. */
  def takeAll(from: HeldRows): Unit = {
    val together = Math.addExact(count, from.count)
    if (together > rows.length) grow(together)
    for (i <- keys.indices) System.arraycopy(from.keys(i), 0, keys(i), count, from.count)
    System.arraycopy(from.rows, 0, rows, count, from.count)
    even = even && from.even && (count == 0 || from.count == 0 || rowSize == from.rowSize)
    if (count == 0) rowSize = from.rowSize
    count = together
    from.rows = Array.empty
  }

  /** Rows that can match nothing. */
  def unmatchable: Iterator[UnsafeRow] = others.iterator

  /** The index of the rows, which are the join's `side`. This has none of them any more then. */
  def index(side: Side): IndexedRows = indexed(side, _.sequential)

  /** The same, the rows copied on all of the JVM's cores, which other tasks that wait for the index leave idle. */
  def indexOnAllCores(side: Side): IndexedRows = indexed(side, _.parallel)

  private[this] def indexed(side: Side, run: IntStream => IntStream): IndexedRows = {
    val index = by.index(side, keys.toVector.map(Arrays.copyOf(_, count)))
    val made = if (even) evenly(index, run) else unevenly(index, run)
    rows = Array.empty
    made
  }

  private[this] def evenly(index: RowIndex, run: IntStream => IntStream): IndexedRows = {
    val shift = EvenRows.shift(rowSize)
    val parts = new Array[Array[Byte]](partsOf(1 << shift))
    run(IntStream.range(0, parts.length)).forEach { i =>
      val first = i << shift
      val end = math.min(count, first + (1 << shift))
      val part = new Array[Byte](Math.multiplyExact(end - first, rowSize))
      for (n <- first until end)
        rows(index.order(n)).writeToMemory(part, EvenRows.offset(n - first, rowSize))
      parts(i) = part
    }
    new EvenRows(index, columns, rowSize, shift, parts)
  }

  private[this] def unevenly(index: RowIndex, run: IntStream => IntStream): IndexedRows = {
    import UnevenRows.PartRows
    val parts = new Array[RowStore](partsOf(PartRows))
    run(IntStream.range(0, parts.length)).forEach { i =>
      val end = math.min(count, (i + 1) * PartRows)
      val store = new RowStore(columns, end - i * PartRows)
      for (n <- i * PartRows until end) store.add(rows(index.order(n)))
      parts(i) = store
    }
    new UnevenRows(index, parts)
  }

  private[this] def partsOf(partRows: Int): Int = (count + partRows - 1) / partRows

  /** Gives the rows back one by one and lets go of each. */
  def drain(): Iterator[InternalRow] = Iterator.range(0, count).map { n =>
    val row = rows(n)
    rows(n) = null
    row
  }

  private[this] def grow(capacity: Int): Unit = {
    keys.indices.foreach(i => keys(i) = Arrays.copyOf(keys(i), capacity))
    rows = Arrays.copyOf(rows, capacity)
  }
}
