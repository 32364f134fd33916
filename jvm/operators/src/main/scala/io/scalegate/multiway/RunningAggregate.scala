package io.scalegate.multiway

import io.scalegate.stream.{Lifecycle, TupleSource}

/** An aggregate under way: tuples go in at its sources, results come out of [[poll]].
  *
  * Each source may have a thread of its own (`I_i` of the paper), and the consumer (`O`) another.
  * One thread may also be all of them, if it feeds the sources in merged order with `tryAdd`,
  * advances the others before it waits for room in one, and polls whenever that says no.
  *
  * A source delivers in strictly rising order of `(ts, source, seq)`, and no null. One that has
  * nothing to deliver holds the results back until it advances or closes.
  *
  * An exception in the aggregate (a function or a key that throws) ends it: from then on [[poll]]
  * and every call on a source throw that same exception. One that was closed before it was done says
  * so in the same way.
  */
trait RunningAggregate[K, R] extends AutoCloseable {
  def sources: IndexedSeq[TupleSource]

  /** The next winset's results, or null when none is complete yet. One thread at a time. */
  def poll(): WindowResults[K, R]

  /** Every window still to come ends at this time or later; `Long.MaxValue` once all are out. It
    * never falls. The consumer's thread, like [[poll]].
    */
  def frontier: Long

  /** Whether every source has closed and every result was taken. False for an aggregate that
    * failed, or was closed before; once true, always true. The consumer's thread.
    */
  def isDone: Boolean

  /** Stops the aggregate, interrupts its threads and waits until they have ended, whatever is still
    * on the way. Any thread but the aggregate's own; a second call is void. From then on sources,
    * [[poll]] and [[frontier]] throw, unless the aggregate was done.
    */
  def close(): Unit

  private[scalegate] def ending: Lifecycle
}
