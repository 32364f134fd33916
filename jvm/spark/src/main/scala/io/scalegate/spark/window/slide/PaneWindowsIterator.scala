package io.scalegate.spark.window.slide

import scala.annotation.tailrec

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Predicate, UnsafeRow}

import io.scalegate.panes.TwoStacks
import io.scalegate.spark.rows.WindowMemory
import io.scalegate.spark.settings.Errors
import io.scalegate.spark.window.partial.{PanePartials, PaneResults}

/** Which windows of those that hold panes are given: those that end behind `after`, but not behind `until`, and of
  * which `among` says so.
  *
  * @param among
  *   asked for the values of the keys and the start of a window
  */
final private[scalegate] case class WindowChoice(
    after: Long = Long.MinValue,
    until: Long = Long.MaxValue,
    among: (UnsafeRow, Long) => Boolean = (_, _) => true
)

/** The windows of a task's panes, all of one key before those of the next; each row is valid until the next is asked
  * for. Of a key only the panes of one window are held. A window that holds no pane gives no row.
  */
final private[scalegate] class PaneWindowsIterator(
    partition: Int,
    reader: PaneReader,
    task: PaneWindowsTask,
    partials: PanePartials,
    choice: WindowChoice = WindowChoice()
) extends Iterator[UnsafeRow] {
  import task.by

  private[this] val results = PaneResults(partition, task.functions, partials)
  private[this] val held = new TwoStacks(partials)
  private[this] val window = new WindowRow(task.keys, task.window)
  private[this] val memory = WindowMemory.ofTask(TaskContext.get())
  private[this] val wanted: Option[BasePredicate] = task.having.map { condition =>
    val made = Predicate.create(condition, task.keys :+ task.window)
    made.initialize(partition)
    made
  }

  private[this] var key: UnsafeRow = _
  private[this] var start = 0L
  private[this] var ready = false

  /** Panes and merges so far, and the most panes held at once. */
  def panes: Long = reader.panes
  def merges: Long = reader.merges + held.merges
  def peak: Long = held.peak.toLong

  override def hasNext: Boolean = {
    if (!ready) ready = seek()
    ready
  }

  override def next(): UnsafeRow = {
    if (!hasNext) throw new NoSuchElementException
    val row = results.row(window.row, held.older, held.newer)
    ready = false
    slide()
    row
  }

  /** Stops at the next window that has panes and is wanted. */
  @tailrec private[this] def seek(): Boolean =
    if (held.isEmpty && !restart()) false
    else if (by.endOf(start) > choice.until) {
      held.clear()
      if (reader.key eq key) reader.leave()
      seek()
    } else {
      fill()
      window.move(start, start + by.size)
      if (choice.among(key, start) && wanted.forall(_.eval(window.row))) true
      else {
        slide()
        seek()
      }
    }

  /** Begins with the first window of the next pane that may be given: of another key's, or of one behind a gap. */
  private[this] def restart(): Boolean = {
    while ((reader.key ne null) && by.endOf(by.last(reader.start)) <= choice.after)
      reader.advance()
    val more = reader.key ne null
    if (more) {
      if (reader.key ne key) {
        key = reader.key
        window.begin(key)
      }
      start = by.first(reader.start)
      if (by.endOf(start) <= choice.after) start = by.next(by.last(choice.after - by.size))
    }
    more
  }

  private[this] def fill(): Unit =
    while ((reader.key eq key) && reader.start < start + by.size) {
      held.push(reader.start, reader.partial)
      reserve()
      reader.advance()
    }

  private[this] def slide(): Unit = {
    start = by.next(start)
    held.evictBefore(start)
    reserve()
  }

  private[this] def reserve(): Unit =
    if (!memory.tryReserve(held.size.toLong, held.bytes))
      throw Errors.panesTooLarge(held.size, held.bytes)
}
