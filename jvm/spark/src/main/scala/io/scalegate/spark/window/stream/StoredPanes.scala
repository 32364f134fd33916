package io.scalegate.spark.window.stream

import java.lang.Long.{highestOneBit, numberOfLeadingZeros, numberOfTrailingZeros}

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, Literal, UnsafeProjection, UnsafeRow}
import org.apache.spark.unsafe.Platform

import io.scalegate.spark.window.SlidingWindow
import io.scalegate.spark.window.partial.{FixedPartials, PaneBlock, PanePartials}
import io.scalegate.spark.window.slide.{BlockRuns, PaneReader, PaneSort, PaneWindowsTask}

/** The panes of a partition's state, in one batch. One thread, the task's. The panes are in the store; it holds the
  * keys of those that are evicted with the batch.
  *
  * @param task
  *   says what is held; its input is the store's keys, then its values
  */
sealed abstract private[scalegate] class StoredPanes(
    task: PaneWindowsTask,
    batch: PaneBatch,
    store: PaneStore
) {
  import batch.{late, mode, watermark}
  import task.by

  /** What merges partial results. */
  val partials: PanePartials

  private[this] val keyOf = UnsafeProjection.create(task.keys :+ Literal(0L), task.keys)
  private[this] var (keys, key): (UnsafeRow, UnsafeRow) = (null, null)
  private[this] val released = mutable.ArrayBuffer.empty[UnsafeRow]
  private[this] var droppedPanes = 0L
  private[this] var putRows = 0L

  final protected val numberAt: Int = task.keys.size

  /** In update mode, the panes that the batch has rows of. */
  final val touched: TouchedPanes = new TouchedPanes(task)

  /** Panes that came too late for every window, and rows that were put. */
  final def dropped: Long = droppedPanes
  final def updated: Long = putRows

  /** Rows that are not needed when the batch is through; known when all of [[reader]] was read. */
  final def evicted: Long = released.size.toLong

  final def removeGone(): Unit = released.foreach(store.remove)

  /** Merges what comes with the batch into what is held. */
  def takeIn(rows: Iterator[InternalRow]): Unit

  /** The panes that windows of this batch may hold. */
  def reader: PaneReader = {
    val row = UnsafeProjection.create(task.input, task.input)
    val joined = new JoinedRow
    val rows = inWindows.map { case (key, value) => row(joined(key, value)) }
    PaneReader(new PaneSort(task)(rows), task, partials)
  }

  /** The rows of [[reader]]. */
  final protected def inWindows: Iterator[(UnsafeRow, UnsafeRow)] =
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
      }

  /** The first and the last pane of a row in the store. */
  protected def firstOf(key: UnsafeRow, value: UnsafeRow): Long
  protected def lastOf(key: UnsafeRow, value: UnsafeRow): Long

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

private[scalegate] object StoredPanes {
  def apply(
      partition: Int,
      arriving: PaneWindowsTask,
      task: PaneWindowsTask,
      batch: PaneBatch,
      store: PaneStore
  ): StoredPanes = (PanePartials(partition, task.functions), task.packed) match {
    case (partials: FixedPartials, Some(bits)) =>
      new StoredPaneBlocks(partials, bits, arriving, task, batch, store)
    case (partials, _) => new StoredPaneRows(partials, arriving, task, batch, store)
  }

  /** As a power of two, how many panes are one row of state, where they have a fixed size. Few of them make many rows,
    * each with a key and an entry in the store; of many, a batch that has rows of one pane writes all again, and they
    * stay until the last may go. The square root of twice a window's panes is between. Where a window has few panes
    * itself, those of its key are one row, or two of them.
    */
  def partBits(by: SlidingWindow): Int =
    if (by.panesPerWindow <= Few) PaneBlock.Bits
    else {
      val wanted = math.ceil(math.sqrt(2.0 * by.panesPerWindow)).toLong
      math.min(numberOfTrailingZeros(highestOneBit(2 * wanted - 1)), PaneBlock.Bits)
    }

  /** Whether no window has panes of more than two parts that follow each other. */
  def inTwoParts(by: SlidingWindow): Boolean = by.panesPerWindow <= (1L << partBits(by))

  private val Few = 16
}

/** A row for each pane. The number is the pane, the value its partial result. */
final private class StoredPaneRows(
    override val partials: PanePartials,
    arriving: PaneWindowsTask,
    task: PaneWindowsTask,
    batch: PaneBatch,
    store: PaneStore
) extends StoredPanes(task, batch, store) {
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
}

/** A row for neighbouring panes: a part of a [[PaneBlock]], in the same form. The number is the part's.
  *
  * @param bits
  *   how many panes a part has, as a power of two
  */
final private class StoredPaneBlocks(
    override val partials: FixedPartials,
    bits: Int,
    arriving: PaneWindowsTask,
    task: PaneWindowsTask,
    batch: PaneBatch,
    store: PaneStore
) extends StoredPanes(task, batch, store) {
  private[this] val part = -1L >>> (PaneBlock.Panes - (1 << bits))

  /** The number of the first pane in an open window, and of the first behind those that this batch closes. */
  private[this] val open =
    if (batch.mode == PaneMode.Complete) Long.MinValue else task.by.firstOpen(batch.late)
  private[this] val behind =
    if (batch.mode == PaneMode.Append) task.by.firstBehind(batch.watermark) else Long.MaxValue

  private[this] val merged = new PaneBlock(partials)
  private[this] val writer = new UnsafeRowWriter(1)

  override def takeIn(rows: Iterator[InternalRow]): Unit = {
    val runs = new BlockRuns(new PaneSort(arriving)(rows), arriving, partials)
    val block = runs.block
    while (runs.advance()) {
      while (!block.isEmpty && isLate(task.by.start(block.paneNumber))) block.drop()
      if (batch.mode == PaneMode.Update)
        block.foreachNumber(p => touched.add(keyWith(runs.key, 0L), task.by.start(p)))
      while (!block.isEmpty) {
        val number = block.paneNumber >> bits
        put(runs.key, number, block.takeAll(part << (number << bits)))
      }
    }
  }

  /** Merges panes into those that a part has, which lets go of those that no window needs any more. */
  private[this] def put(keys: UnsafeRow, number: Long, panes: Array[Byte]): Unit = {
    val key = keyWith(keys, number)
    val before = store.get(key)
    writer.reset()
    if (before == null) writer.write(0, panes)
    else {
      merged.begin(PaneBlock.blockOf(number << bits))
      merged.add(before.getBinary(0))
      merged.add(panes)
      while (merged.paneNumber < open) merged.drop()
      writer.write(0, merged.takeAll(-1L))
    }
    put(key, writer.getRow)
  }

  override def reader: PaneReader =
    if (StoredPanes.inTwoParts(task.by)) new Chains(inWindows) else super.reader

  override protected def firstOf(key: UnsafeRow, value: UnsafeRow): Long =
    paneOf(key, numberOfTrailingZeros(bitsOf(value)))

  override protected def lastOf(key: UnsafeRow, value: UnsafeRow): Long =
    paneOf(key, PaneBlock.Panes - 1 - numberOfLeadingZeros(bitsOf(value)))

  private[this] def paneOf(key: UnsafeRow, bit: Int): Long =
    task.by.start(firstNumber(key.getLong(numberAt)) + bit)

  /** The number of the pane that bit 0 stands for in a part. */
  private[this] def firstNumber(number: Long): Long =
    PaneBlock.blockOf(number << bits) * PaneBlock.Panes

  /** The first word of the value's one column, whose offset is in the upper half of the row's word. */
  private[this] def bitsOf(value: UnsafeRow): Long =
    Platform.getLong(value.getBaseObject, value.getBaseOffset + (value.getLong(0) >>> 32))

  /** The panes of rows, where no window has panes of more than two parts: those of parts that follow each other come
    * together, though the store has its rows in any order, since the first of such parts looks for the others. Parts
    * that do not follow each other share no window, and come as keys of their own.
    */
  final private class Chains(rows: Iterator[(UnsafeRow, UnsafeRow)]) extends PaneReader {
    private[this] val keysOf = UnsafeProjection.create(task.keys, task.input.take(numberAt + 1))
    private[this] var (keys, number): (UnsafeRow, Long) = (null, 0L)
    private[this] var rest = 0L
    private[this] var results: Array[Byte] = _
    private[this] var next = 0L

    advance()

    def merges: Long = 0L

    def advance(): Unit =
      if (rest != 0 || follow()) take() else leave()

    def leave(): Unit = if (begin()) take() else end()

    private[this] def take(): Unit = {
      val paneNumber = firstNumber(number) + numberOfTrailingZeros(rest)
      val result = new UnsafeRow(partials.columns)
      result.pointTo(results, next, partials.resultBytes)
      next += partials.resultBytes
      rest &= rest - 1
      stopAt(keys, task.by.start(paneNumber), result)
    }

    /** Begins with a row that is the first of its parts. */
    private[this] def begin(): Boolean = {
      var found = false
      while (!found && rows.hasNext) {
        val (some, value) = rows.next()
        val (keysOfRow, part, panes) =
          (keysOf(some).copy(), some.getLong(numberAt), value.getBinary(0))
        if (!has(keysOfRow, part - 1)) {
          found = true
          keys = keysOfRow
          read(part, panes)
        }
      }
      found
    }

    /** Goes on with the part after the current one. */
    private[this] def follow(): Boolean = (keys ne null) && isNeeded(number + 1) && {
      val value = store.get(keyWith(keys, number + 1))
      val found = value != null
      if (found) read(number + 1, value.getBinary(0))
      found
    }

    private[this] def read(part: Long, panes: Array[Byte]): Unit = {
      number = part
      results = panes
      rest = PaneBlock.bits(panes)
      next = PaneBlock.First
    }

    /** Whether there is a part, if one of its panes may be in an open window. */
    private[this] def has(keys: UnsafeRow, part: Long): Boolean =
      ((part + 1) << bits) > open && store.get(keyWith(keys, part)) != null

    /** Whether a pane of a part may be in a window that is given. */
    private[this] def isNeeded(part: Long): Boolean = (part << bits) < behind
  }
}
