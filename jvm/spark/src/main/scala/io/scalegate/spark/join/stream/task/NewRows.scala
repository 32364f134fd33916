package io.scalegate.spark.join.stream.task

import java.util.Arrays

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}

import io.scalegate.band.CellBuffer
import io.scalegate.column.RadixOrder
import io.scalegate.lookup.RowMarks
import io.scalegate.spark.join.stream.state.{Chunk, RowBatch, StoredRows}
import io.scalegate.spark.rows.{AttributeReader, RowStore, UnsafeRows}
import io.scalegate.stream.Side

/** The rows of one input in one batch, in the order of their event times. One thread, the task's. It holds all of these
  * rows.
  *
  * @param late
  *   rows whose event time is not above this are too late, and dropped
  * @param keepLate
  *   is given each of these once
  */
final private[scalegate] class NewRows(
    rows: Iterator[InternalRow],
    stored: StoredSide,
    late: Long,
    keepLate: UnsafeRow => Unit
) {
  import stored.{columns, input, inTurn, reader, rowOrder, side, width}

  private[this] val time = stored.window.key
  private[this] val store = new RowStore(columns)
  private[this] val others = mutable.ArrayBuffer.empty[UnsafeRow]
  private[this] val unmatchableStore = new RowStore(columns)
  private[this] val unmatchableTimes = new mutable.ArrayBuilder.ofLong
  private[this] var lateRows = 0L
  private[this] lazy val copies = input.copies.map(new FirstCopy(_, side, input.output))

  private[this] val arrived = readAll()
  private[this] val order = inOrder(arrived)

  private[this] val keys =
    if (order == null) arrived else arrived.map(k => order.map(k(_)))

  private[this] def size: Int = store.size

  /** Rows that were too late. */
  def dropped: Long = lateRows

  /** Of the rows, in order. */
  def times: Array[Long] = keys(time)

  /** Rows that match nothing because one of their attributes is NULL, if such are given: those that are at once. */
  def unmatchable: Iterator[UnsafeRow] = others.iterator

  /** Those that are given in their turn. */
  lazy val unmatchableInTurn: RowBatch = {
    val times = unmatchableTimes.result()
    val byTime = rowOrder.numbersBy(times)(unmatchableStore.point)
    RowBatch.unmatchable(
      byTime.map(times(_)),
      StoredRows.plain(unmatchableStore, byTime),
      width,
      time
    )
  }

  /** The rows in the order of their times, named after the batch and their number in it, those not kept left out. */
  def named(batch: StreamBatch, kept: Long): RowBatch =
    if (!input.decided) new RowBatch(keys, StoredRows.plain(store, order), time)
    else {
      val first = RowBatch.firstAfter(times, kept)
      val ids = Array.tabulate(size)(n => Chunk.id(batch.number, batch.named(side) + n - first))
      new RowBatch(keys, new StoredRows(store, order, ids, new RowMarks), time)
    }

  private[this] def readAll(): Vector[Array[Long]] = {
    var keys = Vector.fill(width)(new Array[Long](16))
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
      } else if (input.givesUnmatched) addUnmatchable(row)
    }
    keys.map(Arrays.copyOf(_, size))
  }

  private[this] def addUnmatchable(row: UnsafeRow): Unit =
    if (inTurn && !row.isNullAt(input.eventTime)) {
      unmatchableStore.add(row)
      unmatchableTimes += row.getLong(input.eventTime)
    } else others += row.copy()

  private[this] def dropLate(row: UnsafeRow): Unit =
    if (copies.forall(_.isFirst(row))) {
      lateRows += 1
      keepLate(row)
    }

  /** Null where the rows came so. */
  private[this] def inOrder(keys: Vector[Array[Long]]): Array[Int] = {
    val times = keys(time)
    if (inTurn || input.decided) rowOrder.numbersBy(times)(store.point)
    else if ((1 until times.length).forall(i => times(i - 1) <= times(i))) null
    else RadixOrder.by(times, Array.range(0, size))
  }
}

/** Tells the first copy of a row from the others. */
final private class FirstCopy(copies: Copies, side: Side, columns: Seq[Attribute]) {
  private[this] val reader = AttributeReader(copies.attributes, columns)
  private[this] val cells = new CellBuffer

  def isFirst(row: UnsafeRow): Boolean = !reader.read(row) || {
    val cell = row.getLong(copies.column)
    copies.by.isFirst(side, reader.keys, () => row.hashCode.toLong, cell, cells)
  }
}
