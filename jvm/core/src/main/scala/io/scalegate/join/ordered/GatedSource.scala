package io.scalegate.join.ordered

import io.scalegate.gate.GateSource
import io.scalegate.stream.{Lifecycle, StreamTuple, TupleSource, WaitingSource}

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
    GatedSource.check(t, this, stream, isOfStream(t), width)
  }
}

private[scalegate] object GatedSource {

  /** Refuses a tuple that is not of the source, or has too few attributes.
    *
    * @param isOfStream
    *   whether the tuple says itself that it is of the logical stream
    */
  def check(
      t: StreamTuple,
      source: TupleSource,
      stream: String,
      isOfStream: Boolean,
      width: Int
  ): Unit =
    if (t.source != source.id || !isOfStream || t.attrs.length < width)
      throw new IllegalArgumentException(
        s"$source takes tuples of source ${source.id}, stream $stream, with $width attributes; " +
          s"this one is of source ${t.source}, stream ${t.side}, with ${t.attrs.length}"
      )
}
