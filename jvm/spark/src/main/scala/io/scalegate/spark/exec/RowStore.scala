package io.scalegate.spark.exec

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** Copies of rows, side by side in large arrays, in the order in which they come: what is read in that order
  * again is read from memory that lies in it. One thread.
  */
final private[exec] class RowStore(columns: Int) {
  import RowStore._

  private[this] var chunk = Array.emptyByteArray
  private[this] var used = 0

  /** A row of its own, which stays valid. */
  def add(row: UnsafeRow): UnsafeRow = {
    val size = row.getSizeInBytes
    if (chunk.length - used < size) {
      chunk = new Array[Byte](math.max(size, ChunkBytes))
      used = 0
    }
    val at = Platform.BYTE_ARRAY_OFFSET.toLong + used
    row.writeToMemory(chunk, at)
    used += size
    val copy = new UnsafeRow(columns)
    copy.pointTo(chunk, at, size)
    copy
  }
}

private[exec] object RowStore {

  /** Below what the garbage collectors take for a huge object of its own. */
  private val ChunkBytes = 1 << 18
}
