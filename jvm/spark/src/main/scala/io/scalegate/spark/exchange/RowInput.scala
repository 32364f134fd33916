package io.scalegate.spark.exchange

import java.io.{EOFException, InputStream}

import scala.reflect.ClassTag

import org.apache.spark.serializer.DeserializationStream
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** The rows that a [[RowOutput]] wrote, each where it lies in the buffer: one that is kept has to be copied, as those of
  * Spark's own exchanges. Used by one thread.
  *
  * @param width
  *   what each row takes; 0 where each stands behind its size
  */
final private class RowInput(in: InputStream, numFields: Int, width: Int)
    extends DeserializationStream {
  private[this] val row = new UnsafeRow(numFields)
  private[this] var buffer = new Array[Byte](RowInput.BufferSize)
  private[this] var spare = new Array[Byte](RowInput.BufferSize)
  private[this] var start = 0
  private[this] var end = 0

  override def asKeyValueIterator: Iterator[(Int, UnsafeRow)] = new Iterator[(Int, UnsafeRow)] {
    // Who reads an exchange has no use for the number of the partition.
    private[this] val pair = (0, row)
    private[this] var ahead = RowInput.Unknown

    override def hasNext: Boolean = {
      if (ahead == RowInput.Unknown) ahead = nextSize()
      ahead != RowInput.AtEnd
    }

    override def next(): (Int, UnsafeRow) = {
      if (!hasNext) Iterator.empty.next()
      if (!isThere(ahead)) throw new EOFException(s"a row of $ahead bytes ends before its last")
      row.pointTo(buffer, Platform.BYTE_ARRAY_OFFSET.toLong + start, ahead)
      start += ahead
      ahead = RowInput.Unknown
      pair
    }
  }

  private[this] def nextSize(): Int =
    if (width > 0) { if (end > start || isThere(1)) width else atEnd() }
    else if (isThere(RowOutput.SizeWidth)) {
      val size = Platform.getLong(buffer, Platform.BYTE_ARRAY_OFFSET.toLong + start).toInt
      start += RowOutput.SizeWidth
      size
    } else if (end == start) atEnd()
    else throw new EOFException("the size of a row ends before its last byte")

  private[this] def atEnd(): Int = {
    close()
    RowInput.AtEnd
  }

  /** Whether so many bytes are in the buffer, once what is missing has been read. */
  private[this] def isThere(size: Int): Boolean = {
    if (end - start < size) fill(size)
    end - start >= size
  }

  /** Into the other buffer: the row that was given last lies in this one, and is valid until the next is asked for. */
  private[this] def fill(size: Int): Unit = {
    val from = buffer
    buffer = if (spare.length >= size) spare else new Array[Byte](size)
    spare = from
    System.arraycopy(from, start, buffer, 0, end - start)
    end -= start
    start = 0
    var read = 0
    while (end < size && read >= 0) {
      read = in.read(buffer, end, buffer.length - end)
      end += math.max(read, 0)
    }
  }

  override def readKey[T: ClassTag](): T = pairsOnly
  override def readValue[T: ClassTag](): T = pairsOnly
  override def readObject[T: ClassTag](): T = pairsOnly

  private[this] def pairsOnly: Nothing =
    throw new IllegalStateException("an exchange reads rows by their iterator")

  override def close(): Unit = in.close()
}

private object RowInput {
  private val BufferSize = 1 << 15
  private val AtEnd = -1
  private val Unknown = -2
}
