package io.scalegate.matrix

import io.scalegate.stream.{SpscRing, StreamTuple}

/** Where one worker learns of one stream's tuples, and where its neighbour downstream learns of
  * them from it (DP-Join §III-C). The tuples themselves lie in the shared segment; what is
  * forwarded is how far they are there.
  *
  * Memory order: a mark is stored with release semantics after the tuples below it were appended
  * to the segment, by the writer or by whoever the mark was received from.
  */
sealed abstract private[scalegate] class Inlet {
  @volatile private[this] var forwarded = Mark.Start

  /** Receives what there is and forwards it. Its worker's thread. */
  final def relay(): Mark = {
    val mark = receive()
    if (mark ne forwarded) forwarded = mark
    mark
  }

  final def mark: Mark = forwarded

  protected def receive(): Mark
}

/** Of the worker that writes the segment: takes tuples from the emitter.
  *
  * @param windowValue
  *   a tuple's window value, given its number in the segment
  */
final private[scalegate] class WriterInlet(
    emitter: Emitter,
    lane: SpscRing[StreamTuple],
    segment: Segment,
    windowValue: (StreamTuple, Long) => Long
) extends Inlet {
  private[this] var received = segment.begin

  protected def receive(): Mark = {
    val mark = emitter.mark // before the lane is looked into
    segment.release()
    var t = lane.peek()
    while (t ne null) {
      segment.append(lane.number, windowValue(t, received), t)
      received += 1
      lane.poll()
      t = lane.peek()
    }
    mark
  }
}

/** Of a worker that reads the segment only: is told by its neighbour. */
final private[scalegate] class ReaderInlet(upstream: Inlet) extends Inlet {
  protected def receive(): Mark = upstream.mark
}
