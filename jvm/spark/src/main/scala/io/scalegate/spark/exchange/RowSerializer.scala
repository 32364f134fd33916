package io.scalegate.spark.exchange

import java.io.{InputStream, OutputStream}
import java.nio.ByteBuffer

import scala.reflect.ClassTag

import org.apache.spark.serializer.{
  DeserializationStream,
  SerializationStream,
  Serializer,
  SerializerInstance
}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.DataType

/** Writes the rows of an exchange one after the other, as they lie in memory: rows of columns of a fixed width without
  * anything between them, others each behind its size, a word of eight bytes. Rows are copied to and read from a buffer
  * of their stream, in which they begin at words; Spark's own serializer passes each size byte by byte through three
  * streams, and copies each row once more where it is read.
  *
  * Bytes are in the order of the processor, as those of Spark's rows are. Streams may be put one behind the other, and
  * rows within them ordered anew, as `supportsRelocationOfSerializedObjects` promises.
  *
  * @param types
  *   of the rows' columns
  * @param dataSize
  *   counts the bytes of the rows
  */
final class RowSerializer(types: Seq[DataType], dataSize: SQLMetric)
    extends Serializer
    with Serializable {
  private[this] val numFields = types.size

  /** What each row takes; 0 where rows differ, or have no columns. */
  private[this] val width =
    if (numFields > 0 && types.forall(UnsafeRow.isFixedLength))
      UnsafeRow.calculateBitSetWidthInBytes(numFields) + numFields * java.lang.Long.BYTES
    else 0

  override def newInstance(): SerializerInstance = new SerializerInstance {
    override def serializeStream(out: OutputStream): SerializationStream =
      new RowOutput(out, width, dataSize)

    override def deserializeStream(in: InputStream): DeserializationStream =
      new RowInput(in, numFields, width)

    override def serialize[T: ClassTag](row: T): ByteBuffer = streamsOnly
    override def deserialize[T: ClassTag](bytes: ByteBuffer): T = streamsOnly
    override def deserialize[T: ClassTag](bytes: ByteBuffer, loader: ClassLoader): T = streamsOnly
  }

  override def supportsRelocationOfSerializedObjects: Boolean = true

  private[this] def streamsOnly: Nothing =
    throw new IllegalStateException("an exchange writes its rows to streams")
}
