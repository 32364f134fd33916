package io.scalegate.spark.exchange

import java.io.OutputStream

import scala.reflect.ClassTag

import org.apache.spark.serializer.SerializationStream
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.unsafe.Platform

/** The rows of one partition of an exchange on their way to its file, as a [[RowSerializer]] lays them. Used by one
  * thread.
  *
  * @param width
  *   what each row takes; 0 where each is written behind its size
  */
final private class RowOutput(out: OutputStream, width: Int, dataSize: SQLMetric)
    extends SerializationStream {
  private[this] val buffer = new Array[Byte](RowOutput.BufferSize)
  private[this] var end = 0

  /** Of the rows since the metric was last added to. */
  private[this] var rowBytes = 0L

  override def writeKey[T: ClassTag](partition: T): SerializationStream = this

  override def writeValue[T: ClassTag](value: T): SerializationStream = {
    val row = value.asInstanceOf[UnsafeRow]
    if (width > 0) write(row, width)
    else {
      writeSize(row.getSizeInBytes)
      write(row, row.getSizeInBytes)
    }
    this
  }

  /** A row may begin in one buffer and go on in the next. */
  private[this] def write(row: UnsafeRow, size: Int): Unit = {
    var copied = 0
    while (copied < size) {
      if (end == buffer.length) flushBuffer()
      val n = math.min(size - copied, buffer.length - end)
      Platform.copyMemory(
        row.getBaseObject,
        row.getBaseOffset + copied,
        buffer,
        at(end),
        n.toLong
      )
      end += n
      copied += n
    }
    rowBytes += size
  }

  private[this] def writeSize(size: Int): Unit = {
    if (buffer.length - end < RowOutput.SizeWidth) flushBuffer()
    Platform.putLong(buffer, at(end), size.toLong)
    end += RowOutput.SizeWidth
  }

  private[this] def at(position: Int): Long = Platform.BYTE_ARRAY_OFFSET.toLong + position

  private[this] def flushBuffer(): Unit = if (end > 0) {
    out.write(buffer, 0, end)
    end = 0
    dataSize.add(rowBytes)
    rowBytes = 0
  }

  override def writeObject[T: ClassTag](row: T): SerializationStream =
    throw new IllegalStateException("an exchange writes a partition's number and a row")

  override def flush(): Unit = {
    flushBuffer()
    out.flush()
  }

  override def close(): Unit = {
    flushBuffer()
    out.close()
  }
}

private object RowOutput {
  val SizeWidth: Int = java.lang.Long.BYTES

  /** There is one for each partition. */
  private val BufferSize = 8192
}
