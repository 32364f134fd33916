package io.scalegate.spark.window.slide

import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

import io.scalegate.spark.window.partial.{FixedPartials, PaneBlock, PanePartials}

/** A task's panes, one at a time, those of a key in ascending order: it begins with the first. What tasks before the
  * exchange had of one pane is merged. One thread, the task's; a partial result is the caller's.
  */
abstract private[scalegate] class PaneReader {
  private[this] var keyOfPane: UnsafeRow = _
  private[this] var startOfPane = 0L
  private[this] var result: UnsafeRow = _
  private[this] var paneCount = 0L

  /** The pane's keys, one object for all panes that have them; null when there are no more panes. */
  final def key: UnsafeRow = keyOfPane
  final def start: Long = startOfPane
  final def partial: UnsafeRow = result

  /** Goes on to the next pane. */
  def advance(): Unit

  /** Goes on to the first pane of another key. */
  def leave(): Unit

  /** Panes read so far. */
  final def panes: Long = paneCount

  /** Merges so far. */
  def merges: Long

  /** Makes a pane the current one. */
  final protected def stopAt(key: UnsafeRow, start: Long, partial: UnsafeRow): Unit = {
    keyOfPane = key
    startOfPane = start
    result = partial
    paneCount += 1
  }

  /** There are no more panes. */
  final protected def end(): Unit = keyOfPane = null
}

private[scalegate] object PaneReader {
  def apply(rows: KeyRuns, task: PaneWindowsTask, partials: PanePartials): PaneReader =
    (partials, task.packed) match {
      case (fixed: FixedPartials, Some(_)) => new BlockReader(rows, task, fixed)
      case _ => new RowReader(rows, task, partials)
    }
}

/** Panes that have a row each. */
final private class RowReader(
    rows: KeyRuns,
    task: PaneWindowsTask,
    partials: PanePartials
) extends PaneReader {
  private[this] val paneAt = task.keys.size
  private[this] val partialOf = UnsafeProjection.create(task.input.drop(paneAt + 1), task.input)
  private[this] var more = rows.advance()
  private[this] var mergeCount = 0L

  advance()

  def merges: Long = mergeCount

  def advance(): Unit =
    if (!more) end()
    else {
      val (key, start) = (rows.key, rows.row.getLong(paneAt))
      val first = partialOf(rows.row).copy()
      more = rows.advance()
      stopAt(key, start, if (goesOn(key, start)) merged(first, key, start) else first)
    }

  def leave(): Unit = {
    val left = key
    while ((key ne null) && (key eq left)) advance()
  }

  /** Whether the next row is of the same pane. */
  private[this] def goesOn(key: UnsafeRow, start: Long): Boolean =
    more && (rows.key eq key) && rows.row.getLong(paneAt) == start

  private[this] def merged(first: UnsafeRow, key: UnsafeRow, start: Long): UnsafeRow = {
    partials.begin(first)
    while (goesOn(key, start)) {
      partials.add(partialOf(rows.row))
      mergeCount += 1
      more = rows.advance()
    }
    partials.result()
  }
}

/** Panes in blocks: the rows are those of [[PartialPanes]]. */
final private class BlockReader(rows: KeyRuns, task: PaneWindowsTask, partials: FixedPartials)
    extends PaneReader {
  private[this] val blocks = new BlockRuns(rows, task, partials)
  private[this] val block = blocks.block

  advance()

  def merges: Long = block.merges

  def advance(): Unit =
    if (block.isEmpty && !blocks.advance()) end() else take()

  def leave(): Unit = {
    val left = key
    var more = true
    while (more && (blocks.key eq left)) more = blocks.advance()
    if (more) take() else end()
  }

  private[this] def take(): Unit =
    stopAt(blocks.key, task.by.start(block.paneNumber), block.take())
}

/** Blocks of panes, or parts of them, as the rows have them, one at a time: what several rows have of one is merged.
  * One thread; it holds one block.
  */
final private[scalegate] class BlockRuns(
    rows: KeyRuns,
    task: PaneWindowsTask,
    partials: FixedPartials
) {
  private[this] val blockAt = task.keys.size
  private[this] val partBits = task.packed.fold(0)(PaneBlock.Bits - _)
  private[this] var more = rows.advance()

  /** The current one. */
  val block: PaneBlock = new PaneBlock(partials)

  /** The block's keys, one object for all blocks that have them. */
  var key: UnsafeRow = _

  /** Goes on to the next block; false when there is none. */
  def advance(): Boolean = {
    val found = more
    if (found) {
      key = rows.key
      val number = rows.row.getLong(blockAt)
      block.begin(number >> partBits)
      while (more && (rows.key eq key) && rows.row.getLong(blockAt) == number) {
        block.add(rows.row.getBinary(blockAt + 1))
        more = rows.advance()
      }
    }
    found
  }
}
