package io.scalegate.baseline.handshake

import io.scalegate.stream.StreamTuple

/** What flows through the chain of a handshake join: streams in their direction, and word to the
  * neighbour against it.
  */
sealed private[baseline] trait FlowMessage

/** What the driver puts into a stream's flow.
  *
  * @param at
  *   the tuple or heartbeat that was ready when it was put in; all that the same flow carries behind it sorts
  *   after that tuple
  * @param firstR
  *   the number of the first R tuple that tuples after `at` may pair with
  * @param firstS
  *   the same of S
  * @param ts
  *   no tuple of this flow's stream that a later tuple may pair with, or that comes later, has a
  *   time before it
  */
sealed private[baseline] trait DriverMessage extends FlowMessage {
  def at: StreamTuple
  def firstR: Long
  def firstS: Long
  def ts: Long
}

/** A tuple, its number in its stream, and its reach: the numbers of the tuples of the other stream
  * that came before it and lie in its window, `until` excluded. Both ends of the reach rise with
  * the number.
  */
final private[baseline] class FlowTuple(
    val at: StreamTuple,
    val number: Long,
    val first: Long,
    val until: Long,
    val firstR: Long,
    val firstS: Long,
    val ts: Long
) extends DriverMessage

/** Word of the windows to the stream that has no tuple to carry it.
  *
  * @param isEnd
  *   whether nothing follows in this flow
  */
final private[baseline] class FlowMark(
    val at: StreamTuple,
    val firstR: Long,
    val firstS: Long,
    val ts: Long,
    val isEnd: Boolean
) extends DriverMessage

private[baseline] object FlowMark {
  def end(last: StreamTuple): FlowMark =
    new FlowMark(last, Long.MaxValue, Long.MaxValue, Long.MaxValue, true)
}

/** The sender has received the tuple of that number, and all before it, from its neighbour. */
final private[baseline] class FlowAck(val number: Long) extends FlowMessage

/** The R tuple of that number, and all before it, have been at the end of the chain. */
final private[baseline] class FlowSettled(val number: Long) extends FlowMessage
