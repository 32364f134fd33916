package io.scalegate.aggregate

import java.util.ArrayDeque

import io.scalegate.stream.StreamTuple

/** The open winsets of one thread that gets every tuple, in order: the Update and Output stages of MQ and
  * TuMLSC (multiway aggregation, §5.3, Algorithm 2).
  */
final private[aggregate] class OpenWindows[K, S <: AnyRef, R](spec: AggregateSpec[K, S, R]) {
  private[this] val windows = spec.windows
  private[this] val results = new ResultMaker(spec)
  private[this] val open = new ArrayDeque[OpenWinset[S]] // by start

  /** Adds a tuple that sorts after all before. Those that it completes have been taken. */
  def add(t: StreamTuple): Unit = {
    val count = windows.count(t.ts)
    if (count > 0) {
      val last = windows.last(t.ts)
      openTo(last, count)
      val key = spec.key(t)
      val hash = StateTable.hash(key)
      val from = last - (count - 1) * windows.advance
      open.forEach(w => if (w.start >= from) w.table.add(key, hash, t))
    }
  }

  /** The results of the first winset, if it ends before `horizon`; else null. */
  def take(horizon: Long): WindowResults[K, R] =
    if (open.isEmpty || windows.end(open.peekFirst.start) >= horizon) null
    else takeFirst()

  /** The results of the first winset; null when there is none. */
  def takeAny(): WindowResults[K, R] = if (open.isEmpty) null else takeFirst()

  /** The end of the first winset; `Long.MaxValue` when there is none. */
  def firstEnd: Long = if (open.isEmpty) Long.MaxValue else windows.end(open.peekFirst.start)

  def isEmpty: Boolean = open.isEmpty

  private[this] def takeFirst(): WindowResults[K, R] = {
    val first = open.pollFirst()
    results(first.start, first.table)
  }

  /** Opens those of the `count` windows up to `last` that are not open. */
  private[this] def openTo(last: Long, count: Long): Unit =
    if (open.isEmpty || open.peekLast.start < last) {
      var start = last - (count - 1) * windows.advance
      if (!open.isEmpty && open.peekLast.start >= start)
        start = open.peekLast.start + windows.advance
      open.addLast(new OpenWinset(start, new StateTable(spec.function)))
      while (start < last) {
        start += windows.advance
        open.addLast(new OpenWinset(start, new StateTable(spec.function)))
      }
    }
}

final private[aggregate] class OpenWinset[S <: AnyRef](
    val start: Long,
    val table: StateTable[StreamTuple, S]
)
