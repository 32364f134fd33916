package io.scalegate.spark.join.lookup

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

import io.scalegate.spark.rows.RowStore

/** The rows that a [[PackExec]] packed, where they lie in the packed bytes. */
object PackedRows {
  private[scalegate] val Start = Platform.BYTE_ARRAY_OFFSET
  private[scalegate] val Word = 8
  private[scalegate] val ChunkBytes = 1 << 20

  def count(chunks: Array[InternalRow]): Long =
    chunks.map(chunk => rowsIn(chunk.asInstanceOf[UnsafeRow])).sum

  /** Each valid until the next is asked for. */
  def apply(chunks: Array[InternalRow], columns: Int): Iterator[UnsafeRow] = {
    val row = new UnsafeRow(columns)
    chunks.iterator.flatMap { packed =>
      val chunk = packed.asInstanceOf[UnsafeRow]
      var at = firstRow(chunk)
      Iterator.range(0, Math.toIntExact(rowsIn(chunk))).map { _ =>
        RowStore.point(row, chunk.getBaseObject, at)
        at += row.getSizeInBytes + Word
        row
      }
    }
  }

  /** Where the first row of the chunk lies, behind its size. */
  private[scalegate] def firstRow(chunk: UnsafeRow): Long = valueOf(chunk) + 2 * Word

  private[scalegate] def rowsIn(chunk: UnsafeRow): Long =
    Platform.getLong(chunk.getBaseObject, valueOf(chunk))

  /** Where the chunk's only value lies: a column's word holds its value's offset in the row, and its size. */
  private[this] def valueOf(chunk: UnsafeRow): Long =
    chunk.getBaseOffset + (chunk.getLong(0) >>> 32)
}
