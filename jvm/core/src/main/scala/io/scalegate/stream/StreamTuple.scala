package io.scalegate.stream

/** One timed event of a stream, as every operator of the core sees it.
  *
  * `(ts, source, seq)` is the total order that all operators share: ties in `ts` are broken by the source,
  * then by the sequence number that the source gave. A source delivers in that order, and no two tuples
  * of an operator's input carry the same triple.
  *
  * @param ts
  *   event time, in the unit of the stream (the operators only compare and add)
  * @param source
  *   the physical stream that delivered the tuple, unique over both logical streams
  * @param seq
  *   the tuple's number within its source, rising
  * @param side
  *   the logical stream it belongs to
  * @param attrs
  *   the attributes that the join's equi keys and bands compare, each as a sortable integer
  *   (see [[SortableKey]]); never written after construction
  * @param row
  *   the payload, opaque to the core; null in a punctuation
  * @param isPunctuation
  *   whether it is a promise and no tuple
  */
final class StreamTuple private (
    val ts: Long,
    val source: Int,
    val seq: Long,
    val side: Side,
    val attrs: Array[Long],
    val row: AnyRef,
    private[scalegate] val isPunctuation: Boolean
) {
  def this(ts: Long, source: Int, seq: Long, side: Side, attrs: Array[Long], row: AnyRef) =
    this(ts, source, seq, side, attrs, row, false)

  /** When a join that measures its latency was first offered the tuple, by `System.nanoTime`. Written before
    * the tuple is delivered, by the thread that delivers it.
    */
  private[scalegate] var arrival: Long = 0L

  /** Whether this is no tuple, but [[StreamTuple.heartbeat]]. */
  private[scalegate] def isHeartbeat: Boolean = source == StreamTuple.EverySource

  override def toString: String = s"$side($ts, $source, $seq)"
}

object StreamTuple {
  private[this] val NoAttributes = new Array[Long](0)

  /** The promise that `source` delivers nothing before `ts` from now on: it sorts before every tuple
    * of that source with a time of `ts` or later.
    */
  def punctuation(ts: Long, source: Int): StreamTuple =
    new StreamTuple(ts, source, Long.MinValue, Side.R, NoAttributes, null, true)

  /** In place of a source, which has a number from 0 up. */
  private val EverySource = Int.MinValue

  /** The promise that nothing before `ts` comes from any source: it sorts before every tuple with a
    * time of `ts` or later.
    */
  private[scalegate] def heartbeat(ts: Long): StreamTuple = punctuation(ts, EverySource)

  /** A heartbeat that carries something to who reads it.
    *
    * @param number
    *   of its own among those of this time
    */
  private[scalegate] def control(ts: Long, number: Long, what: AnyRef): StreamTuple =
    new StreamTuple(ts, EverySource, number, Side.R, NoAttributes, what)

  /** The same place in the order without the payload. */
  def key(t: StreamTuple): StreamTuple =
    if (t.row == null) t else new StreamTuple(t.ts, t.source, t.seq, t.side, NoAttributes, null)
}
