package io.scalegate.spark.exec

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  RowOrdering,
  UnsafeProjection,
  UnsafeRow
}

import io.scalegate.join.{AttributeType, Band}
import io.scalegate.stream.Side

/** An input of a join by keys, and its bounded attributes, the time first. */
final class KeyedInput(val keys: Seq[Expression], val of: BoundedInput) extends Serializable

/** Everything that travels to the executors for one [[RowsPerKeyJoinExec]]. */
final class RowsPerKeyTask(
    probing: Probing,
    rows: Long,
    left: KeyedInput,
    right: KeyedInput,
    bands: IndexedSeq[Band],
    residual: Option[Expression]
) extends PartitionsJoinTask {

  /** Joins two inputs in the order of their keys, times and columns. */
  def join(l: Iterator[InternalRow], r: Iterator[InternalRow]): RowsPerKeyIterator = {
    val context = TaskContext.get()
    def sorted(rows: Iterator[InternalRow], input: KeyedInput, side: Side) =
      new KeyedRows(UnsafeRows(rows, input.of.output), input, bands, side)
    new RowsPerKeyIterator(
      probing,
      rows,
      sorted(l, left, Side.R),
      sorted(r, right, Side.S),
      bands :+ RowWindowTask.Usable,
      RowOrdering.createNaturalAscendingOrdering(left.keys.map(_.dataType)),
      accepts(residual, left.of.output ++ right.of.output),
      WindowMemory.ofTask(context),
      context
    )
  }
}

/** One input as a cursor over its rows, which come in the order of their keys and, within a key, of their times.
  *
  * @param bands
  *   of the banded attributes
  */
final class KeyedRows(
    rows: Iterator[UnsafeRow],
    input: KeyedInput,
    bands: IndexedSeq[Band],
    val side: Side
) {
  private[this] val keyOf = UnsafeProjection.create(input.keys, input.of.output)
  private[this] val timeOf =
    new AttributeReader(input.of.bounded.take(1), Vector(AttributeType.Int64), input.of.output)
  private[this] val attributes =
    new AttributeReader(input.of.bounded.tail, bands.map(_.attribute), input.of.output)
  private[this] val unusable = if (side eq Side.R) 1L else -1L
  private[this] var current: UnsafeRow = _
  private[this] var currentKey: UnsafeRow = _
  private[this] var counted = false

  /** The columns of a row. */
  val columns: Int = input.of.output.length

  /** The banded attributes of the row that [[read]] read last, and one more that no row of the other side is within
    * where one of these is NULL.
    */
  val values = new Array[Long](bands.length + 1)

  /** The row that the cursor stands on, null at the end; valid until [[advance]]. */
  def row: UnsafeRow = current

  /** Its key, valid as long. */
  def key: UnsafeRow = currentKey

  /** Whether it takes a place in its key's window: it has a key and a time. */
  def isCounted: Boolean = counted

  /** The time of a row that does. */
  def time: Long = timeOf.keys(0)

  def advance(): Unit =
    if (rows.hasNext) {
      current = rows.next()
      currentKey = keyOf(current)
      counted = !currentKey.anyNull() && timeOf.read(current)
    } else current = null

  /** Reads the attributes of the current row; false when it matches nothing. */
  def read(): Boolean = {
    val usable = attributes.read(current)
    if (usable) System.arraycopy(attributes.keys, 0, values, 0, bands.length)
    values(bands.length) = if (usable) 0L else unusable
    usable
  }
}
