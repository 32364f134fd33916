package io.scalegate.spark.window.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.settings.NamedDesign
import io.scalegate.spark.window.design.DesignOfPanes
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
  * @param design
  *   what makes the windows of a batch in append mode, in place of two stacks
  */
final class PaneBatchIterator(
    partition: Int,
    rows: Iterator[InternalRow],
    arriving: PaneWindowsTask,
    task: PaneWindowsTask,
    batch: PaneBatch,
    store: PaneStore,
    design: Option[NamedDesign]
) extends WindowsOfBatch {
  import batch.{late, mode, watermark}
  import task.by

  private[this] val held = StoredPanes(partition, arriving, task, batch, store)
  held.takeIn(rows)
  private[this] val reader = held.reader
  private[this] val sliding = Option.when(design.isEmpty)(
    new PaneWindowsIterator(partition, reader, task, held.partials, choice)
  )
  private[this] val windows: Iterator[UnsafeRow] = sliding.getOrElse(
    if (reader.key eq null) Iterator.empty
    else DesignOfPanes(partition, reader, task, design.get, closes)
  )

  override def dropped: Long = held.dropped

  override def updated: Long = held.updated
  override def removed: Long = held.evicted

  override def merges: Long = sliding.fold(reader.merges)(_.merges)

  override def hasNext: Boolean = windows.hasNext
  override def next(): UnsafeRow = windows.next()

  /** Lets go of the panes that no window needs any more. */
  override def finish(): Unit = held.removeGone()

  /** Whether this batch closes the window that begins at a time. */
  private[this] def closes(start: Long) =
    by.endOf(start) > late && by.endOf(start) <= watermark

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
