package io.scalegate.spark.join.operator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression

import io.scalegate.band.{AttributeType, Band, IntegralBand}
import io.scalegate.spark.join.BoundedInput
import io.scalegate.spark.rows.AttributeReader
import io.scalegate.stream.{Side, StreamTuple}

/** Reads what a window of rows goes by: a row's time, and its banded attributes. One thread.
  *
  * @param input
  *   with the banded attributes
  */
final class TimedReader(
    timeOf: Expression,
    input: BoundedInput,
    bands: IndexedSeq[Band],
    val side: Side
) {
  private[this] val times = AttributeReader(Seq(timeOf), input.output)
  private[this] val attributes = AttributeReader(input.bounded, input.output)
  private[this] val unusable = if (side eq Side.R) 1L else -1L

  /** The columns of a row. */
  val columns: Int = input.output.length

  /** How many numbers [[read]] writes. */
  val width: Int = bands.length + 1

  /** False when the row has no time. */
  def readTime(row: InternalRow): Boolean = times.read(row)

  /** The time of the row last asked for one, if it had any. */
  def time: Long = times.keys(0)

  /** Writes the banded attributes, and one more that no row of the other side is within where one of these is NULL;
    * false when it is: such a row matches nothing.
    */
  def read(row: InternalRow, into: Array[Long]): Boolean = {
    val usable = attributes.read(row)
    if (usable) System.arraycopy(attributes.keys, 0, into, 0, bands.length)
    into(bands.length) = if (usable) 0L else unusable
    usable
  }
}

object TimedReader {

  /** A band of the last number that [[TimedReader.read]] writes. */
  val Usable: Band = IntegralBand(AttributeType.Int32, 0, 0)

  /** Whether no attribute of a tuple is NULL, whose attributes are what a reader has written. */
  def isUsable(t: StreamTuple): Boolean = t.attrs(t.attrs.length - 1) == 0
}
