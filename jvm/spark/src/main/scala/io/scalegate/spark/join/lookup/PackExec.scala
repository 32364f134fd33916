package io.scalegate.spark.join.lookup

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

import io.scalegate.spark.rows.UnsafeRows

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
