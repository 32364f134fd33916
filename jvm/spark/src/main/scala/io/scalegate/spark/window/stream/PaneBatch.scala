package io.scalegate.spark.window.stream

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

import io.scalegate.spark.rows.WindowMemory
import io.scalegate.spark.settings.Errors
import io.scalegate.spark.window.slide.PaneWindowsTask

/** A batch of a stream, as a task sees it.
  *
  * @param late
  *   windows that end at or before it were closed by the batch before: a pane that lies in such windows alone is too
  *   late. In microseconds
  * @param watermark
  *   windows that end at or before it are closed when this batch is through
  */
final case class PaneBatch(mode: PaneMode, late: Long, watermark: Long)

/** The panes that a batch has rows of, by their keys. One thread, the task's. It holds them in the task's memory, and
  * does not spill them.
  */
final private[scalegate] class TouchedPanes(task: PaneWindowsTask) {
  private[this] val memory = Option(TaskContext.get()).map(WindowMemory.ofTask)
  private[this] var (count, bytes) = (0L, 0L)
  private[this] val keysOf =
    UnsafeProjection.create(task.keys, task.input.take(task.keys.size + 1))
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
