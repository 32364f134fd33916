package io.scalegate.spark.exec

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** Copies of rows, side by side in large arrays, in the order in which they come: what is read in that order
  * again is read from memory that lies in it. A row is no object here, but a place to point one at. One thread writes;
  * any number read once that is published to them.
  */
final private[spark] class RowStore(columns: Int, expected: Int = 16) {
  import RowStore._

  /*
   *    chunk   [ size | row ][ size | row ] ...        a place is a chunk's number and an offset in it
   */
  private[this] var chunks = new Array[Array[Byte]](4)
  private[this] var last = -1
  private[this] var used = 0
  private[this] var places = new Array[Long](expected)
  private[this] var count = 0
  private[this] var total = 0L

  def size: Int = count

  /** Of the rows, without what is free in the arrays. */
  def bytes: Long = total

  /** Copies the row; its number is the number of rows that came before. */
  def add(row: UnsafeRow): Unit = {
    val bytes = row.getSizeInBytes
    if (last < 0 || chunks(last).length - used < bytes + Word) addChunk(bytes + Word)
    val at = Platform.BYTE_ARRAY_OFFSET.toLong + used
    Platform.putLong(chunks(last), at, bytes.toLong)
    row.writeToMemory(chunks(last), at + Word)
    if (count == places.length) places = Arrays.copyOf(places, math.max(16, count + count / 2))
    places(count) = (last.toLong << 32) | used.toLong
    count += 1
    used += bytes + Word
    total += bytes + Word
  }

  /** Copies the row and gives the copy, a row of its own. */
  def copy(row: UnsafeRow): UnsafeRow = {
    add(row)
    this.row(count - 1)
  }

  /** Makes `row` the one of this number. */
  def point(row: UnsafeRow, number: Int): Unit =
    RowStore.point(row, chunkOf(number), offset(number))

  /** In what the row of this number lies. */
  def base(number: Int): AnyRef = chunkOf(number)

  /** Where in it. */
  def offset(number: Int): Long =
    Platform.BYTE_ARRAY_OFFSET.toLong + (places(number) & 0xffffffffL) + Word

  private[this] def chunkOf(number: Int): Array[Byte] = chunks((places(number) >>> 32).toInt)

  /** A row of its own. */
  def row(number: Int): UnsafeRow = {
    val one = new UnsafeRow(columns)
    point(one, number)
    one
  }

  private[this] def addChunk(least: Int): Unit = {
    last += 1
    if (last == chunks.length) chunks = Arrays.copyOf(chunks, 2 * last)
    chunks(last) = new Array[Byte](math.max(least, ChunkBytes))
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
