package io.scalegate.spark.aggregate

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

import io.scalegate.spark.Errors
import io.scalegate.spark.exec.WindowMemory

/** Where a partition's panes lie between the batches of a stream: what is put and removed shows with the commit, or
  * never. A key is the values of the aggregate's keys and a number: see [[HeldPanes]].
  */
trait PaneStore {

  /** Null where there is none. Neither argument nor result is kept by the other. */
  def get(key: UnsafeRow): UnsafeRow
  def put(key: UnsafeRow, value: UnsafeRow): Unit
  def remove(key: UnsafeRow): Unit

  /** Each pair is valid until the next is asked for. */
  def all: Iterator[(UnsafeRow, UnsafeRow)]
}

/** When the windows of a stream are given. */
sealed trait PaneMode

object PaneMode {

  /** Once, when the watermark has passed their end. */
  case object Append extends PaneMode

  /** In each batch that has rows of theirs. */
  case object Update extends PaneMode

  /** All of them in each batch. */
  case object Complete extends PaneMode
}

/** A batch of a stream, as a task sees it.
  *
  * @param late
  *   windows that end at or before it were closed by the batch before: a pane that lies in such windows alone is too
  *   late. In microseconds
  * @param watermark
  *   windows that end at or before it are closed when this batch is through
  */
final case class PaneBatch(mode: PaneMode, late: Long, watermark: Long)

/** The windows that one batch of a stream gives, in one partition: merges the batch's partial results into the panes
  * held, slides over those that windows to be given hold, and lets go of the panes whose last window is closed. A pane
  * is written once for each batch that has rows of it, however many windows hold it. One thread; a row is valid until
  * the next is asked for.
  *
  * @param rows
  *   as the input of `arriving`
  * @param arriving
  *   says what comes with a batch
  * @param of
  *   says what is held: rows of keys, a number and what the store has of them
  */
final class PaneBatchIterator(
    partition: Int,
    rows: Iterator[InternalRow],
    arriving: PaneWindows,
    of: PaneWindows,
    batch: PaneBatch,
    store: PaneStore
) extends Iterator[UnsafeRow] {
  import batch.{late, mode, watermark}
  import of.by

  private[this] val held = HeldPanes(partition, arriving, of, batch, store)
  held.takeIn(rows)
  private[this] val windows =
    new PaneWindowsIterator(partition, held.reader, of, held.partials, choice)

  /** Panes that were too late for every window. */
  def dropped: Long = held.dropped

  /** Rows of state that were written, and those that were let go of. */
  def updated: Long = held.updated
  def removed: Long = held.gone

  /** Merges of partial results. */
  def merges: Long = windows.merges

  override def hasNext: Boolean = windows.hasNext
  override def next(): UnsafeRow = windows.next()

  /** Lets go of the panes that no window needs any more. To be called when there are no more rows. */
  def finish(): Unit = held.removeGone()

  private[this] def choice: WindowChoice = mode match {
    case PaneMode.Append => WindowChoice(late, watermark)
    case PaneMode.Update =>
      WindowChoice(
        late,
        among = (key, start) => held.touched.between(key, start, by.endOf(start))
      )
    case PaneMode.Complete => WindowChoice()
  }
}

/** The panes that a batch has rows of, by their keys. They are in the task's memory, and cannot be spilled. */
final private[aggregate] class TouchedPanes(of: PaneWindows) {
  private[this] val memory = Option(TaskContext.get()).map(WindowMemory.ofTask)
  private[this] var (count, bytes) = (0L, 0L)
  private[this] val keysOf =
    UnsafeProjection.create(of.keys, of.input.take(of.keys.size + 1))
  private[this] val panes =
    mutable.HashMap.empty[UnsafeRow, java.util.TreeSet[java.lang.Long]]

  /** @param key
    *   of a pane in its store
    */
  def add(key: UnsafeRow, pane: Long): Unit = {
    val keys = keysOf(key)
    val known = panes.getOrElse(keys, null)
    val all = if (known ne null) known else new java.util.TreeSet[java.lang.Long]
    if (known eq null) {
      panes(keys.copy()) = all
      bytes += keys.getSizeInBytes
    }
    if (all.add(pane)) hold()
  }

  private[this] def hold(): Unit = {
    count += 1
    if (!memory.forall(_.tryReserve(count, bytes))) throw Errors.touchedTooLarge(count)
  }

  def hasKeyOf(key: UnsafeRow): Boolean = panes.contains(keysOf(key))

  /** Whether one begins in a span of time. */
  def between(keys: UnsafeRow, from: Long, until: Long): Boolean =
    panes.get(keys).exists { all =>
      val first = all.ceiling(from)
      (first ne null) && first < until
    }
}
