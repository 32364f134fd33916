package io.scalegate.spark.rows

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** Copies of rows, side by side in large arrays, in the order in which they come: what is read in that order again is
  * read from memory that lies in it. A row is no object here, but an address to point one at.
  *
  * One thread writes; any number read once that is published to them. It holds all rows that it was given, and its
  * caller reserves the memory for them.
  */
final private[spark] class RowStore(columns: Int, expected: Int = 16) {
  import RowStore._

  /*
   *    chunk   [ size | row ][ size | row ] ...
   *
   * While all rows are of one size, a chunk holds as many as a power of two, and a row's number tells where it lies.
   * From the first of another size on the addresses are kept: of each row the number of its chunk and the offset in it.
   *
   * The first chunk begins small, for there may be many stores of a few rows. What pointed into it when it was smaller
   * still lies there.
   */
  private[this] var chunks = new Array[Array[Byte]](4)
  private[this] var last = -1
  private[this] var used = 0
  private[this] var stride = 0 // bytes from one row to the next, of rows of one size
  private[this] var shift = 0
  private[this] var mask = 0
  private[this] var addresses: Array[Long] = _ // null while all rows are of one size
  private[this] var count = 0
  private[this] var total = 0L

  def size: Int = count

  /** Of the rows, without what is free in the arrays. */
  def bytes: Long = total

  /** Copies the row; its number is the number of rows that came before. */
  def add(row: UnsafeRow): Unit = {
    val size = row.getSizeInBytes
    val bytes = size + Word
    if (count == 0) begin(bytes) else if (addresses == null && bytes != stride) keepAddresses()
    if (addresses == null) reserveNext() else reserve(bytes)
    val at = Platform.BYTE_ARRAY_OFFSET.toLong + used
    Platform.putLong(chunks(last), at, size.toLong)
    row.writeToMemory(chunks(last), at + Word)
    count += 1
    used += bytes
    total += bytes
  }

  /** Copies the row and gives the copy, a row of its own. */
  def copy(row: UnsafeRow): UnsafeRow = {
    add(row)
    this.row(count - 1)
  }

  /** The size of each row, if there are any and all are of one. */
  def rowSize: Option[Int] = Option.when(count > 0 && addresses == null)(stride - Word)

  /** All rows, each valid until the next is asked for. */
  def iterator: Iterator[UnsafeRow] = {
    val row = new UnsafeRow(columns)
    Iterator.range(0, count).map { number =>
      point(row, number)
      row
    }
  }

  /** The same once; the arrays that have been read through are let go. */
  def drain(): Iterator[UnsafeRow] = {
    val row = new UnsafeRow(columns)
    var reading = 0
    Iterator.range(0, count).map { number =>
      val chunk = chunkNumber(number)
      if (chunk != reading) {
        chunks(reading) = null
        reading = chunk
      }
      point(row, number)
      row
    }
  }

  /** Makes `row` the one of this number. */
  def point(row: UnsafeRow, number: Int): Unit =
    RowStore.point(row, chunkOf(number), offset(number))

  /** In what the row of this number lies. */
  def base(number: Int): AnyRef = chunkOf(number)

  /** Where in it. */
  def offset(number: Int): Long = {
    val at =
      if (addresses == null) (number & mask).toLong * stride else addresses(number) & 0xffffffffL
    Platform.BYTE_ARRAY_OFFSET.toLong + at + Word
  }

  private[this] def chunkOf(number: Int): Array[Byte] = chunks(chunkNumber(number))

  private[this] def chunkNumber(number: Int): Int =
    if (addresses == null) number >>> shift else (addresses(number) >>> 32).toInt

  /** A row of its own. */
  def row(number: Int): UnsafeRow = {
    val one = new UnsafeRow(columns)
    point(one, number)
    one
  }

  private[this] def begin(bytes: Int): Unit = {
    stride = bytes
    shift = EvenRows.shift(bytes)
    mask = (1 << shift) - 1
  }

  /** Makes room for one more row of the same size. */
  private[this] def reserveNext(): Unit =
    if ((count & mask) == 0) {
      val rows = if (count > 0) 1 << shift else math.min(1 << shift, math.max(1, expected))
      addChunk(rows * stride)
    } else if (used == chunks(last).length)
      chunks(last) =
        Arrays.copyOf(chunks(last), math.min(2L * used, stride.toLong << shift).toInt)

  /** Makes room for a row of any size. */
  private[this] def reserve(bytes: Int): Unit = {
    if (chunks(last).length - used < bytes) addChunk(math.max(bytes, ChunkBytes))
    if (count == addresses.length)
      addresses = Arrays.copyOf(addresses, math.max(16, count + count / 2))
    addresses(count) = (last.toLong << 32) | used.toLong
  }

  private[this] def keepAddresses(): Unit =
    addresses = Array.tabulate(math.max(count, expected)) { n =>
      ((n >>> shift).toLong << 32) | (n & mask).toLong * stride
    }

  private[this] def addChunk(length: Int): Unit = {
    last += 1
    if (last == chunks.length) chunks = Arrays.copyOf(chunks, 2 * last)
    chunks(last) = new Array[Byte](length)
    used = 0
  }
}

private[spark] object RowStore {
  private val Word = 8

  /** Makes `row` the one that lies there, in a store. */
  def point(row: UnsafeRow, base: AnyRef, offset: Long): Unit =
    row.pointTo(base, offset, Platform.getLong(base, offset - Word).toInt)

  /** Below what the garbage collectors take for a huge object of its own. */
  private val ChunkBytes = 1 << 18
}
