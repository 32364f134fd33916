package io.scalegate.aggregate

import java.util.ArrayDeque

import io.scalegate.stream.{StreamTuple, WindowCursor}

/** The open winsets of one thread that gets every tuple, in order: the Update and Output stages
  * of MQ and TuMLSC (multiway aggregation, §5.3, Algorithm 2).
  */
final private[aggregate] class OpenWindows[K, S <: AnyRef, R](spec: AggregateSpec[K, S, R]) {
  private[this] val windows = spec.windows
  private[this] val cursor = new WindowCursor(windows)
  private[this] val results = new ResultMaker(spec)
  private[this] val winsets = new ArrayDeque[OpenWinset[S]] // by start
  private[this] var expected = 0 // the keys of the last winset taken

  /** Adds a tuple that sorts after all before. Those that it completes have been taken. */
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

  /** The results of the first winset, if it ends before `horizon`; else null. */
  def take(horizon: Long): WindowResults[K, R] =
    if (winsets.isEmpty || windows.end(winsets.peekFirst.start) >= horizon) null
    else takeFirst()

  /** The results of the first winset; null when there is none. */
  def takeAny(): WindowResults[K, R] = if (winsets.isEmpty) null else takeFirst()

  /** The end of the first winset; `Long.MaxValue` when there is none. */
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

final private[aggregate] class OpenWinset[S <: AnyRef](
    val start: Long,
    val table: StateTable[StreamTuple, S]
)
