package io.scalegate.spark.streaming

import java.util.{Arrays, BitSet}

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeRow}
import org.apache.spark.unsafe.array.ByteArrayMethods

import io.scalegate.join.{AttributeType, CellBuffer, RadixOrder}
import io.scalegate.spark.exec.{AttributeReader, RowStore, SliceBy, UnsafeRows}
import io.scalegate.stream.Side

/** The cells that a row of an input was sent to, one copy to each.
  *
  * @param attributes
  *   that decide them, as `by` says
  * @param column
  *   of the input that holds the cell
  */
final case class Copies(attributes: Seq[Expression], by: SliceBy, column: Int)

/** An input of a streaming join.
  *
  * @param bounded
  *   its bounded attributes, the event time among them
  * @param eventTime
  *   the column of the event time, in microseconds
  * @param decided
  *   whether its rows are given, or not, for having matched something
  * @param copies
  *   if its rows come in several copies
  */
final case class StreamInput(
    bounded: Seq[Expression],
    output: Seq[Attribute],
    eventTime: Int,
    decided: Boolean,
    copies: Option[Copies]
)

/** The rows of one input in one batch, in the order of their event times. One thread.
  *
  * @param time
  *   which of the bounded attributes the event time is
  * @param late
  *   rows whose event time is not above this are too late, and dropped
  * @param keepLate
  *   is given each of these once
  */
final private[streaming] class NewRows(
    rows: Iterator[InternalRow],
    input: StreamInput,
    types: IndexedSeq[AttributeType],
    side: Side,
    time: Int,
    late: Long,
    keepLate: UnsafeRow => Unit
) {
  private[this] val columns = input.output.length
  private[this] val store = new RowStore(columns)
  private[this] val others = mutable.ArrayBuffer.empty[UnsafeRow]
  private[this] var lateRows = 0L
  private[this] lazy val copies = input.copies.map(new FirstCopy(_, side, input.output))

  private[this] val arrived = readAll()
  private[this] val order = inOrder(arrived)

  /** The i-th array holds the i-th attribute of every row. */
  val keys: IndexedSeq[Array[Long]] =
    if (order == null) arrived else arrived.map(k => order.map(k(_)))

  def size: Int = store.size

  /** Rows that were too late. */
  def dropped: Long = lateRows

  /** Rows that match nothing because one of their attributes is NULL, kept if they are decided on. */
  def unmatchable: Iterator[InternalRow] = others.iterator

  def timeOf(row: Int): Long = keys(time)(row)

  /** The rows by their places in the order of their times. */
  def stored(ids: Array[Long], matched: BitSet): StoredRows =
    new StoredRows(store, order, ids, matched)

  private[this] def readAll(): Vector[Array[Long]] = {
    val reader = new AttributeReader(input.bounded, types, input.output)
    var keys = Vector.fill(types.length)(new Array[Long](16))
    val unsafe = UnsafeRows(rows, input.output)
    while (unsafe.hasNext) {
      val row = unsafe.next()
      if (!row.isNullAt(input.eventTime) && row.getLong(input.eventTime) <= late) dropLate(row)
      else if (reader.read(row)) {
        if (size == keys.head.length) keys = keys.map(k => Arrays.copyOf(k, 2 * size))
        var i = 0
        while (i < keys.length) {
          keys(i)(size) = reader.keys(i)
          i += 1
        }
        store.add(row)
      } else if (input.decided) others += row.copy()
    }
    keys.map(Arrays.copyOf(_, size))
  }

  private[this] def dropLate(row: UnsafeRow): Unit =
    if (copies.forall(_.isFirst(row))) {
      lateRows += 1
      keepLate(row)
    }

  /** Null where the rows came so. Rows of a side that is decided on, which are named by their places, are in an order
    * that does not depend on the one they came in.
    */
  private[this] def inOrder(keys: Vector[Array[Long]]): Array[Int] = {
    val times = keys(time)
    val sorted = (1 until times.length).forall(i => times(i - 1) <= times(i))
    if (sorted && !input.decided) null
    else {
      val order = RadixOrder.by(times, Array.range(0, size))
      if (input.decided) sortTies(order, times)
      order
    }
  }

  private[this] def sortTies(order: Array[Int], times: Array[Long]): Unit = {
    val runs = RadixOrder.runs(times, order)
    for (i <- 0 until runs.length - 1 if runs(i + 1) - runs(i) > 1) {
      val (a, b) = (new UnsafeRow(columns), new UnsafeRow(columns))
      val tied = order.slice(runs(i), runs(i + 1)).sortWith { (x, y) =>
        store.point(a, x)
        store.point(b, y)
        NewRows.compare(a, b) < 0
      }
      System.arraycopy(tied, 0, order, runs(i), tied.length)
    }
  }
}

private object NewRows {

  /** By their bytes. */
  private def compare(a: UnsafeRow, b: UnsafeRow): Int = {
    val least = math.min(a.getSizeInBytes, b.getSizeInBytes)
    if (
      a.getSizeInBytes == b.getSizeInBytes &&
      ByteArrayMethods.arrayEquals(
        a.getBaseObject,
        a.getBaseOffset,
        b.getBaseObject,
        b.getBaseOffset,
        least.toLong
      )
    ) 0
    else Arrays.compare(a.getBytes, b.getBytes)
  }
}

/** Tells the first copy of a row from the others. */
final private class FirstCopy(copies: Copies, side: Side, columns: Seq[Attribute]) {
  private[this] val reader = new AttributeReader(copies.attributes, copies.by.types, columns)
  private[this] val cells = new CellBuffer

  def isFirst(row: UnsafeRow): Boolean =
    if (!reader.read(row)) true
    else {
      copies.by.cells(side, reader.keys, () => row.hashCode.toLong, cells)
      cells(0) == row.getLong(copies.column)
    }
}
