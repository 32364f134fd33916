package io.scalegate.spark.exec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  SpecificInternalRow,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.{BinaryType, DataType}
import org.apache.spark.unsafe.Platform

/** Packs an input's rows into a few large values, so that what a broadcast collects, serializes and keeps is
  * bytes and not an object a row. [[PackedRows]] reads them again.
  *
  * @param packed
  *   the only column, BINARY, never NULL
  */
final case class PackExec(packed: Attribute, child: SparkPlan) extends UnaryExecNode {
  override def nodeName: String = "WindowJoinPack"
  override def output: Seq[Attribute] = Seq(packed)

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of rows packed")
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val rowsOut = longMetric("numOutputRows")
    val columns = child.output
    child
      .execute()
      .mapPartitions(rows => new PackedChunks(UnsafeRows(rows, columns), rowsOut += _))
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SparkPlan =
    copy(child = newChild)

  override def simpleString(maxFields: Int): String = nodeName
}

/** A partition's rows in chunks: the number of rows, then each row's size and the row, all in multiples of
  * eight bytes.
  */
final private class PackedChunks(rows: Iterator[UnsafeRow], packed: Long => Unit)
    extends Iterator[InternalRow] {
  import PackedRows._

  private[this] val project = UnsafeProjection.create(Array[DataType](BinaryType))
  private[this] val value = new SpecificInternalRow(Seq(BinaryType))
  private[this] var buffer = new Array[Byte](1 << 16)

  def hasNext: Boolean = rows.hasNext

  def next(): InternalRow = {
    var used = Word
    var count = 0L
    while (rows.hasNext && used < ChunkBytes) {
      used = append(rows.next(), used)
      count += 1
    }
    Platform.putLong(buffer, Start.toLong, count)
    packed(count)
    value.update(0, java.util.Arrays.copyOf(buffer, used))
    project(value)
  }

  /** Gives where the next row goes. */
  private[this] def append(row: UnsafeRow, at: Int): Int = {
    val size = row.getSizeInBytes
    val end = Math.addExact(at + Word, size)
    if (end > buffer.length)
      buffer =
        java.util.Arrays.copyOf(buffer, math.max(end, 2 * math.min(buffer.length, 1 << 29)))
    Platform.putLong(buffer, (Start + at).toLong, size.toLong)
    row.writeToMemory(buffer, (Start + at + Word).toLong)
    end
  }
}

/** The rows that a [[PackExec]] packed, where they lie in the packed bytes. */
object PackedRows {
  private[exec] val Start = Platform.BYTE_ARRAY_OFFSET
  private[exec] val Word = 8
  private[exec] val ChunkBytes = 1 << 20

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
  private[exec] def firstRow(chunk: UnsafeRow): Long = valueOf(chunk) + 2 * Word

  private[exec] def rowsIn(chunk: UnsafeRow): Long =
    Platform.getLong(chunk.getBaseObject, valueOf(chunk))

  /** Where the chunk's only value lies: a column's word holds its value's offset in the row, and its size. */
  private[this] def valueOf(chunk: UnsafeRow): Long =
    chunk.getBaseOffset + (chunk.getLong(0) >>> 32)
}
