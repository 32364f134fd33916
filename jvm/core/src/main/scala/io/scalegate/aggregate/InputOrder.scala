package io.scalegate.aggregate

import io.scalegate.gate.OutOfOrderException
import io.scalegate.stream.StreamTuple

/** Checks that an input delivers in strictly rising order, for designs that do not merge by a
  * gate. The input's thread only.
  */
final private[aggregate] class InputOrder(id: Int) {
  private[this] var ts = Long.MinValue
  private[this] var seq = Long.MinValue // of a promise: before every tuple of its time
  private[this] var isFirst = true
  private[this] var closed = false

  /** Refuses what does not sort after everything delivered or promised, and what comes after the
    * end.
    */
  def check(t: StreamTuple): Unit = {
    checkOpen()
    if (!isFirst && (t.ts < ts || (t.ts == ts && t.seq <= seq)))
      throw new OutOfOrderException(s"input $id", ts, t.ts)
  }

  def checkOpen(): Unit =
    if (closed) throw new IllegalStateException(s"input $id is closed")

  def delivered(t: StreamTuple): Unit = set(t.ts, t.seq)

  /** Whether the promise says anything new. */
  def promise(time: Long): Boolean = {
    checkOpen()
    val isNew = isFirst || time > ts
    if (isNew) set(time, Long.MinValue)
    isNew
  }

  def close(): Unit = closed = true

  private[this] def set(time: Long, number: Long): Unit = {
    ts = time
    seq = number
    isFirst = false
  }
}
