package io.scalegate.multiway

import io.scalegate.gate.OutOfOrderException
import io.scalegate.stream.StreamTuple

/** Checks that an input delivers in strictly rising order, for designs that do not merge by a
  * gate. The input's thread only.
  */
final private[scalegate] class InputOrder(id: Int) {
  private[this] var ts = Long.MinValue
  private[this] var seq = Long.MinValue
  private[this] var isPromise = true // every tuple of its time sorts after it
  private[this] var isFirst = true
  private[this] var closed = false

  /** Refuses what does not sort after everything delivered or promised, and what comes after the
    * end.
    */
  def check(t: StreamTuple): Unit = {
    checkOpen()
    if (t.ts < ts || (t.ts == ts && t.seq <= seq && !isPromise))
      throw new OutOfOrderException(s"input $id", ts, t.ts)
  }

  def checkOpen(): Unit =
    if (closed) throw new IllegalStateException(s"input $id is closed")

  def delivered(t: StreamTuple): Unit = {
    ts = t.ts
    seq = t.seq
    isPromise = false
    isFirst = false
  }

  /** Whether the promise says anything new. */
  def promise(time: Long): Boolean = {
    checkOpen()
    val isNew = isFirst || time > ts
    if (isNew) {
      ts = time
      isPromise = true
      isFirst = false
    }
    isNew
  }

  def close(): Unit = closed = true
}
