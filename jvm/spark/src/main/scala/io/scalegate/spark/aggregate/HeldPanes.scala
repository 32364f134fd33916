package io.scalegate.spark.aggregate

import java.lang.Long.{highestOneBit, numberOfLeadingZeros, numberOfTrailingZeros}

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, Literal, UnsafeProjection, UnsafeRow}
import org.apache.spark.unsafe.Platform

/** The panes that a partition holds between batches. One thread.
  *
  * @param of
  *   says what is held; its input is the store's keys, then its values
  */
sealed abstract private[aggregate] class HeldPanes(
    of: PaneWindows,
    batch: PaneBatch,
    store: PaneStore
) {
  import batch.{late, mode, watermark}
  import of.by

  private[this] val keyOf = UnsafeProjection.create(of.keys :+ Literal(0L), of.keys)
  private[this] var (keys, key): (UnsafeRow, UnsafeRow) = (null, null)
  private[this] val released = mutable.ArrayBuffer.empty[UnsafeRow]
  private[this] val row = UnsafeProjection.create(of.input, of.input)
  private[this] val joined = new JoinedRow
  private[this] var droppedPanes = 0L
  private[this] var putRows = 0L

  final protected val numberAt: Int = of.keys.size

  /** In update mode, the panes that the batch has rows of. */
  final val touched: TouchedPanes = new TouchedPanes(of)

  /** Panes that came too late for every window, and rows that were put. */
  final def dropped: Long = droppedPanes
  final def updated: Long = putRows

  /** Rows that are not needed when the batch is through; known when all of [[inWindows]] was read. */
  final def gone: Long = released.size.toLong

  final def removeGone(): Unit = released.foreach(store.remove)

  /** Merges what comes with the batch into what is held. */
  def takeIn(rows: Iterator[InternalRow]): Unit

  /** What windows of this batch may hold, as rows of `of.input`. */
  final def inWindows: Iterator[InternalRow] =
    if (mode == PaneMode.Append && watermark <= late) Iterator.empty
    else
      store.all.filter { case (key, value) =>
        val isGone = mode != PaneMode.Complete &&
          by.endOf(by.last(lastOf(key, value))) <= watermark
        if (isGone) released += key.copy()
        mode match {
          case PaneMode.Append => by.endOf(by.first(firstOf(key, value))) <= watermark
          case PaneMode.Update => touched.hasKeyOf(key)
          case PaneMode.Complete => true
        }
      }.map { case (key, value) => asInput(row(joined(key, value))) }

  /** The first and the last pane of a row in the store. */
  protected def firstOf(key: UnsafeRow, value: UnsafeRow): Long
  protected def lastOf(key: UnsafeRow, value: UnsafeRow): Long

  /** The row, which may be changed, as `of.input` has it. */
  protected def asInput(row: UnsafeRow): UnsafeRow

  /** The store's key of the aggregate's keys, an object for all rows that have them, and a number; until the next call.
    */
  final protected def keyWith(keys: UnsafeRow, number: Long): UnsafeRow = {
    if (keys ne this.keys) {
      this.keys = keys
      key = keyOf(keys)
    }
    key.setLong(numberAt, number)
    key
  }

  final protected def put(key: UnsafeRow, value: UnsafeRow): Unit = {
    store.put(key, value)
    putRows += 1
  }

  /** Whether a pane came too late for every window; then it is counted as dropped. */
  final protected def isLate(pane: Long): Boolean = {
    val isLate = mode != PaneMode.Complete && by.endOf(by.last(pane)) <= late
    if (isLate) droppedPanes += 1
    isLate
  }
}

private[aggregate] object HeldPanes {
  def apply(
      partition: Int,
      arriving: PaneWindows,
      of: PaneWindows,
      batch: PaneBatch,
      store: PaneStore
  ): HeldPanes = PanePartials(partition, of.functions) match {
    case partials: FixedPartials if of.packed =>
      new HeldBlocks(partials, arriving, of, batch, store)
    case partials => new HeldRows(partials, arriving, of, batch, store)
  }
}

/** A row for each pane. The number is the pane, the value its partial result. */
final private class HeldRows(
    partials: PanePartials,
    arriving: PaneWindows,
    of: PaneWindows,
    batch: PaneBatch,
    store: PaneStore
) extends HeldPanes(of, batch, store) {
  override def takeIn(rows: Iterator[InternalRow]): Unit = {
    val arrived = PaneReader(new PaneSort(arriving)(rows), arriving, partials)
    while (arrived.key ne null) {
      if (!isLate(arrived.start)) take(keyWith(arrived.key, arrived.start), arrived)
      arrived.advance()
    }
  }

  private[this] def take(key: UnsafeRow, arrived: PaneReader): Unit = {
    val before = store.get(key)
    put(key, if (before == null) arrived.partial else partials.merge(before, arrived.partial))
    if (batch.mode == PaneMode.Update) touched.add(key, arrived.start)
  }

  override protected def firstOf(key: UnsafeRow, value: UnsafeRow): Long = key.getLong(numberAt)
  override protected def lastOf(key: UnsafeRow, value: UnsafeRow): Long = key.getLong(numberAt)
  override protected def asInput(row: UnsafeRow): UnsafeRow = row
}

/** A row for neighbouring panes, [[HeldBlocks.bits]] says for how many: a part of a [[PaneBlock]], in the same form. The
  * number is the part's.
  */
final private class HeldBlocks(
    partials: FixedPartials,
    arriving: PaneWindows,
    of: PaneWindows,
    batch: PaneBatch,
    store: PaneStore
) extends HeldPanes(of, batch, store) {
  private[this] val shift = HeldBlocks.bits(of.by)
  private[this] val part = -1L >>> (PaneBlock.Panes - (1 << shift))
  private[this] val merged = new PaneBlock(partials)
  private[this] val writer = new UnsafeRowWriter(1)

  override def takeIn(rows: Iterator[InternalRow]): Unit = {
    val runs = new BlockRuns(new PaneSort(arriving)(rows), arriving, partials)
    val block = runs.block
    while (runs.advance()) {
      while (!block.isEmpty && isLate(of.by.start(block.place))) block.take()
      if (batch.mode == PaneMode.Update)
        block.foreachPlace(p => touched.add(keyWith(runs.key, 0L), of.by.start(p)))
      while (!block.isEmpty) {
        val number = block.place >> shift
        val panes = block.takeAll(part << (number << shift))
        put(keyWith(runs.key, number), PaneBlock.of(number << shift), panes)
      }
    }
  }

  private[this] def put(key: UnsafeRow, block: Long, panes: Array[Byte]): Unit = {
    val before = store.get(key)
    writer.reset()
    if (before == null) writer.write(0, panes)
    else {
      merged.begin(block)
      merged.add(before.getBinary(0))
      merged.add(panes)
      writer.write(0, merged.takeAll(-1L))
    }
    put(key, writer.getRow)
  }

  override protected def firstOf(key: UnsafeRow, value: UnsafeRow): Long =
    paneOf(key, numberOfTrailingZeros(bitsOf(value)))

  override protected def lastOf(key: UnsafeRow, value: UnsafeRow): Long =
    paneOf(key, PaneBlock.Panes - 1 - numberOfLeadingZeros(bitsOf(value)))

  private[this] def paneOf(key: UnsafeRow, bit: Int): Long =
    of.by.start(blockOf(key) * PaneBlock.Panes + bit)

  private[this] def blockOf(key: UnsafeRow): Long = PaneBlock.of(key.getLong(numberAt) << shift)

  /** The first word of the value's one column, whose place is in the upper half of the row's word. */
  private[this] def bitsOf(value: UnsafeRow): Long =
    Platform.getLong(value.getBaseObject, value.getBaseOffset + (value.getLong(0) >>> 32))

  override protected def asInput(row: UnsafeRow): UnsafeRow = {
    row.setLong(numberAt, blockOf(row))
    row
  }
}

private[aggregate] object HeldBlocks {

  /** As a power of two, how many panes are one row of state. Few of them make many rows, each with a key and an entry in
    * the store; of many, a batch that has rows of one pane writes all again, and they stay until the last may go. The
    * square root of twice a window's panes is between.
    */
  def bits(by: SlidingWindow): Int = {
    val wanted = math.ceil(math.sqrt(2.0 * by.panesPerWindow)).toLong
    math.min(numberOfTrailingZeros(highestOneBit(2 * wanted - 1)), PaneBlock.Bits)
  }
}
