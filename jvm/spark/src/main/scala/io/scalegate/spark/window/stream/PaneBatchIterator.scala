package io.scalegate.spark.window.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.window.slide.{PaneWindowsIterator, PaneWindowsTask, WindowChoice}

/** The windows that one batch of a stream gives, in one partition. It merges the batch's partial results into the panes
  * of the state, slides over the panes that are in windows to be given, and evicts the panes whose last window is
  * closed. A pane is written once for each batch that has rows of it, however many windows hold it.
  *
  * @param rows
  *   as the input of `arriving`
  * @param arriving
  *   says what comes with a batch
  * @param task
  *   says what is held: rows of keys, a number and what the store has of them
  */
final class PaneBatchIterator(
    partition: Int,
    rows: Iterator[InternalRow],
    arriving: PaneWindowsTask,
    task: PaneWindowsTask,
    batch: PaneBatch,
    store: PaneStore
) extends WindowsOfBatch {
  import batch.{late, mode, watermark}
  import task.by

  private[this] val held = StoredPanes(partition, arriving, task, batch, store)
  held.takeIn(rows)
  private[this] val windows =
    new PaneWindowsIterator(partition, held.reader, task, held.partials, choice)

  override def dropped: Long = held.dropped

  override def updated: Long = held.updated
  override def removed: Long = held.evicted

  override def merges: Long = windows.merges

  override def hasNext: Boolean = windows.hasNext
  override def next(): UnsafeRow = windows.next()

  /** Lets go of the panes that no window needs any more. */
  override def finish(): Unit = held.removeGone()

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
