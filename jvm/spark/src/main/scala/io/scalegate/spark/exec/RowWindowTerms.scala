package io.scalegate.spark.exec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression

import io.scalegate.join.{AttributeType, Band, IntegralBand}
import io.scalegate.stream.{Side, Sides}

/** A window that counts rows: all of a side's, or those of each key.
  *
  * @param leftTime
  *   of a left row, as `rightTime` is of a right one
  * @param leftKeys
  *   by which left rows are counted, as right ones are by `rightKeys`; none where all rows count
  * @param rows
  *   that it holds
  * @param threads
  *   of the task, if it is known how many
  */
final case class RowWindowTerms(
    leftTime: Expression,
    rightTime: Expression,
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    rows: Long,
    threads: Option[Int]
) extends NodeTerms {
  override def children: Seq[Expression] = Seq(leftTime, rightTime) ++ leftKeys ++ rightKeys

  override protected def withNewChildrenInternal(
      changed: IndexedSeq[Expression]
  ): RowWindowTerms = {
    val of = new NodeTerms.Changed(changed)
    copy(of.one, of.one, of.in(leftKeys), of.in(rightKeys))
  }

  def times: Sides[Expression] = Sides(leftTime, rightTime)

  def keys: Sides[Seq[Expression]] = Sides(leftKeys, rightKeys)

  /** What a task's rows are sorted by: keys, time and columns. */
  def order(inputs: Sides[Seq[Expression]]): Sides[Seq[Expression]] =
    keys.zip(times.zip(inputs)).map { case (of, (time, columns)) => (of :+ time) ++ columns }
}

/** Reads what a window of rows goes by: a row's time, and its banded attributes. One thread.
  *
  * @param input
  *   with the banded attributes
  */
final class RowWindowReader(
    timeOf: Expression,
    input: BoundedInput,
    bands: IndexedSeq[Band],
    val side: Side
) {
  private[this] val times =
    new AttributeReader(Seq(timeOf), Vector(AttributeType.Int64), input.output)
  private[this] val attributes =
    new AttributeReader(input.bounded, bands.map(_.attribute), input.output)
  private[this] val unusable = if (side eq Side.R) 1L else -1L

  /** The columns of a row. */
  val columns: Int = input.output.length

  /** How many numbers [[read]] writes. */
  val width: Int = bands.length + 1

  /** False when the row has no time. */
  def readTime(row: InternalRow): Boolean = times.read(row)

  /** The time of the row last asked for one, if it had any. */
  def time: Long = times.keys(0)

  /** Writes the banded attributes, and one more that no row of the other side is within where one of these is NULL; false
    * when it is: such a row matches nothing.
    */
  def read(row: InternalRow, into: Array[Long]): Boolean = {
    val usable = attributes.read(row)
    if (usable) System.arraycopy(attributes.keys, 0, into, 0, bands.length)
    into(bands.length) = if (usable) 0L else unusable
    usable
  }
}

object RowWindowReader {

  /** A band of the last number that [[RowWindowReader.read]] writes. */
  val Usable: Band = IntegralBand(AttributeType.Int32, 0, 0)
}
