package io.scalegate.spark.window.stream.realtime

import java.lang.Long.numberOfTrailingZeros

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.catalyst.expressions.{Literal, UnsafeProjection, UnsafeRow}
import org.apache.spark.unsafe.Platform

import io.scalegate.spark.window.partial.{FixedPartials, PaneBlock, PanePartials}
import io.scalegate.spark.window.slide.PaneWindowsTask
import io.scalegate.spark.window.stream.PaneStore

/** Reads [[LivePanes]] from the state of a partition, and writes there what a batch has changed: in the form in which
  * batches have it, so that a query may go on in either way. One thread, the task's.
  *
  * @param task
  *   says what is held
  */
sealed abstract private[realtime] class HeldPanes(task: PaneWindowsTask, store: PaneStore) {
  private[this] val keysOf =
    UnsafeProjection.create(task.keys, task.input.take(task.keys.size + 1))
  private[this] val keyOf = UnsafeProjection.create(task.keys :+ Literal(0L), task.keys)
  private[this] var (put, removed) = (0L, 0L)
  final protected val numberAt: Int = task.keys.size

  /** Rows of the state that were written, and that were let go of. */
  final def updatedRows: Long = put
  final def removedRows: Long = removed

  final def read(panes: LivePanes): Unit = store.all.foreach { case (key, value) =>
    addTo(panes, keysOf(key), key.getLong(numberAt), value)
  }

  final def write(panes: LivePanes): Unit = {
    val gone = ArrayBuffer.empty[UnsafeRow]
    store.all.foreach { case (key, _) =>
      if (!panes.of(keysOf(key)).exists(isIn(_, key.getLong(numberAt)))) gone += key.copy()
    }
    gone.foreach(store.remove)
    removed += gone.size
    panes.keys.foreach { of =>
      val key = keyOf(of.key)
      changes(of) { (number, value) =>
        key.setLong(numberAt, number)
        store.put(key, value)
        put += 1
      }
      of.written()
    }
  }

  /** Adds the panes of a row of the state. */
  protected def addTo(panes: LivePanes, key: UnsafeRow, number: Long, value: UnsafeRow): Unit

  /** Whether a key has a pane of the row of this number. */
  protected def isIn(of: KeyPanes, number: Long): Boolean

  /** Gives the rows of a key's panes that have changed; each is valid until the next. */
  protected def changes(of: KeyPanes)(see: (Long, UnsafeRow) => Unit): Unit
}

private[realtime] object HeldPanes {
  def apply(task: PaneWindowsTask, partials: PanePartials, store: PaneStore): HeldPanes =
    (partials, task.packed) match {
      case (fixed: FixedPartials, Some(bits)) => new HeldBlocks(task, fixed, bits, store)
      case _ => new HeldRows(task, store)
    }
}

/** A row for each pane. */
final private class HeldRows(task: PaneWindowsTask, store: PaneStore)
    extends HeldPanes(task, store) {
  override protected def addTo(
      panes: LivePanes,
      key: UnsafeRow,
      number: Long,
      value: UnsafeRow
  ): Unit = panes.add(key, number, value.copy(), isChange = false)

  override protected def isIn(of: KeyPanes, number: Long): Boolean =
    of.hasBetween(number, number + 1)

  override protected def changes(of: KeyPanes)(see: (Long, UnsafeRow) => Unit): Unit =
    for (i <- 0 until of.size if of.isChanged(i)) see(of.start(i), of.state(i))
}

/** A row for neighbouring panes.
  *
  * @param bits
  *   how many a row has, as a power of two
  */
final private class HeldBlocks(
    task: PaneWindowsTask,
    partials: FixedPartials,
    bits: Int,
    store: PaneStore
) extends HeldPanes(task, store) {
  import task.by

  private[this] val writer = new UnsafeRowWriter(1)

  override protected def addTo(
      panes: LivePanes,
      key: UnsafeRow,
      number: Long,
      value: UnsafeRow
  ): Unit =
    BlockPanes.foreach(value.getBinary(0), blockOf(number), by, partials) { (start, result) =>
      panes.add(key, start, result, isChange = false)
    }

  override protected def isIn(of: KeyPanes, number: Long): Boolean = {
    val first = by.start(number << bits)
    val i = of.before(first)
    i < of.size && partOf(of.start(i)) == number
  }

  override protected def changes(of: KeyPanes)(see: (Long, UnsafeRow) => Unit): Unit = {
    var i = 0
    while (i < of.size) {
      val number = partOf(of.start(i))
      var (until, isChanged) = (i, false)
      while (until < of.size && partOf(of.start(until)) == number) {
        isChanged ||= of.isChanged(until)
        until += 1
      }
      if (isChanged) see(number, packed(of, i, until))
      i = until
    }
  }

  private[this] def packed(of: KeyPanes, from: Int, until: Int) = {
    val made = new Array[Byte](8 + (until - from) * partials.resultBytes)
    var present = 0L
    var to = PaneBlock.First
    for (i <- from until until) {
      present |= PaneBlock.bitOf(by.paneNumber(of.start(i)))
      of.state(i).writeToMemory(made, to)
      to += partials.resultBytes
    }
    Platform.putLong(made, Platform.BYTE_ARRAY_OFFSET, present)
    writer.reset()
    writer.write(0, made)
    writer.getRow
  }

  private[this] def partOf(start: Long): Long = by.paneNumber(start) >> bits

  private[this] def blockOf(number: Long): Long = PaneBlock.blockOf(number << bits)
}

/** The panes of a [[PaneBlock]]'s bytes. */
private[realtime] object BlockPanes {

  /** Gives the start and the partial result of each, which is the caller's. */
  def foreach(
      panes: Array[Byte],
      block: Long,
      by: io.scalegate.spark.window.SlidingWindow,
      partials: FixedPartials
  )(see: (Long, UnsafeRow) => Unit): Unit = {
    var rest = PaneBlock.bits(panes)
    var from = PaneBlock.First
    while (rest != 0) {
      val result = new UnsafeRow(partials.columns)
      result.pointTo(panes, from, partials.resultBytes)
      see(by.start(block * PaneBlock.Panes + numberOfTrailingZeros(rest)), result.copy())
      from += partials.resultBytes
      rest &= rest - 1
    }
  }
}
