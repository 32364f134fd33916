package io.scalegate.join.ordered

import io.scalegate.gate.GateSource
import io.scalegate.stream.{Lifecycle, StreamTuple, WaitingSource}

/** Where a physical stream enters an input gate.
  *
  * @param stream
  *   the logical stream's name, for messages
  * @param width
  *   the attributes that its tuples need
  */
abstract private[scalegate] class GatedSource(
    source: GateSource[StreamTuple],
    lifecycle: Lifecycle,
    stream: String,
    width: Int
) extends WaitingSource {

  /** Whether `t` says itself that it is of the logical stream. */
  protected def isOfStream(t: StreamTuple): Boolean

  final def tryAdd(t: StreamTuple): Boolean = {
    check(t)
    source.tryAdd(t)
  }

  final def canAdd(t: StreamTuple): Boolean = {
    check(t)
    source.canAdd(t)
  }

  final def advance(ts: Long): Unit = {
    lifecycle.throwIfStopped()
    source.advance(StreamTuple.punctuation(ts, id))
  }

  final def close(): Unit = source.close()

  final override def toString: String = source.toString

  private[this] def check(t: StreamTuple): Unit = {
    lifecycle.throwIfStopped()
    if (t.source != id || !isOfStream(t) || t.attrs.length < width)
      throw new IllegalArgumentException(
        s"$source takes tuples of source $id, stream $stream, with $width attributes; this one " +
          s"is of source ${t.source}, stream ${t.side}, with ${t.attrs.length}"
      )
  }
}
