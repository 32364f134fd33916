package io.scalegate.multiway

import io.scalegate.stream.StreamTuple

/** An aggregate whose consumer merges the inputs, updates the windows and makes the results. */
abstract private[scalegate] class SequentialAggregate[K, R](
    windows: OrderedWindows[WindowResults[K, R]],
    inputs: Int
) extends MultiwayAggregate[K, R](inputs) {
  protected def merge: TupleMerge

  private[this] var pending: StreamTuple = _ // read; windows before it are being taken

  final protected def take(): WindowResults[K, R] = {
    var results = flush()
    var isReady = results == null
    while (isReady) {
      pending = merge.next()
      isReady = pending != null
      results = if (isReady) flush() else takeAtRest()
      if (results != null) isReady = false
    }
    results
  }

  final protected def isExhausted: Boolean = pending == null && windows.isEmpty && merge.isDone

  final protected def reached: Long =
    if (isExhausted) Long.MaxValue
    else {
      val time = if (pending == null) merge.horizon() else pending.ts
      math.min(time, windows.firstEnd)
    }

  /** A result that the pending tuple completes; when there is none the tuple is added. */
  private[this] def flush(): WindowResults[K, R] =
    if (pending == null) null
    else {
      val results = windows.take(pending.ts)
      if (results == null) {
        windows.add(pending)
        pending = null
      }
      results
    }

  /** A result, when no tuple is ready. */
  private[this] def takeAtRest(): WindowResults[K, R] = {
    val horizon = merge.horizon()
    if (merge.isDone) windows.takeAny() else windows.take(horizon)
  }
}
