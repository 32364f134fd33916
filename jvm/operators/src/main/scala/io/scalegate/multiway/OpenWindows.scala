package io.scalegate.multiway

import java.util.ArrayDeque

import io.scalegate.multiway.function.StateTable
import io.scalegate.stream.{StreamTuple, WindowCursor}

/** The open windows of one thread that gets tuples in their total order. */
private[scalegate] trait OrderedWindows[A] {

  /** Adds a tuple that sorts after all before. Everything that [[take]] gives at its time has been
    * taken.
    */
  def add(t: StreamTuple): Unit

  /** The first result, if no tuple from `horizon` on can change it or come before it; else null.
    */
  def take(horizon: Long): A

  /** The first result, when no tuple comes any more; null when there is none. */
  def takeAny(): A

  /** No result that is still to come ends before it, but those of windows that no tuple has come
    * for yet; `Long.MaxValue` when there is no other.
    */
  def firstEnd: Long

  /** Whether there is no open window, but those that will not be taken. */
  def isEmpty: Boolean
}

/** The open winsets of one thread that gets every tuple, in order: the Update and Output stages
  * of MQ and TuMLSC (multiway aggregation, §5.3, Algorithm 2).
  */
final private[scalegate] class OpenWindows[K, S <: AnyRef, R](spec: AggregateSpec[K, S, R])
    extends OrderedWindows[WindowResults[K, R]] {
  private[this] val windows = spec.windows
  private[this] val cursor = new WindowCursor(windows)
  private[this] val results = new ResultMaker(spec)
  private[this] val winsets = new ArrayDeque[OpenWinset[S]] // by start
  private[this] var expected = 0 // the keys of the last winset taken

  def add(t: StreamTuple): Unit = {
    cursor.seek(t.ts)
    if (cursor.count > 0) {
      open(cursor.first, cursor.last)
      val key = spec.key(t).asInstanceOf[AnyRef]
      val hash = StateTable.hash(key)
      val from = cursor.first
      winsets.forEach(w => if (w.start >= from) w.table.add(key, hash, t))
    }
  }

  def take(horizon: Long): WindowResults[K, R] =
    if (winsets.isEmpty || windows.end(winsets.peekFirst.start) >= horizon) null
    else takeFirst()

  def takeAny(): WindowResults[K, R] = if (winsets.isEmpty) null else takeFirst()

  def firstEnd: Long =
    if (winsets.isEmpty) Long.MaxValue else windows.end(winsets.peekFirst.start)

  def isEmpty: Boolean = winsets.isEmpty

  private[this] def takeFirst(): WindowResults[K, R] = {
    val first = winsets.pollFirst()
    expected = first.table.size
    results(first.start, Array(first.table))
  }

  /** Opens those of the windows from `first` to `last` that are not open. */
  private[this] def open(first: Long, last: Long): Unit =
    if (winsets.isEmpty || winsets.peekLast.start < last) {
      var start = first
      if (!winsets.isEmpty && winsets.peekLast.start >= first)
        start = winsets.peekLast.start + windows.advance
      winsets.addLast(new OpenWinset(start, new StateTable(spec.function, expected)))
      while (start < last) {
        start += windows.advance
        winsets.addLast(new OpenWinset(start, new StateTable(spec.function, expected)))
      }
    }
}

final private[scalegate] class OpenWinset[S <: AnyRef](
    val start: Long,
    val table: StateTable[StreamTuple, S]
)
