package io.scalegate.join

import io.scalegate.stream.Lifecycle

/** A join under way: tuples go in at its sources, results come out of [[poll]].
  *
  * Each source may have a thread of its own, and the consumer another. One thread may also be all
  * of them, if it never waits for one while the join waits for another: it feeds the sources in
  * merged order with [[JoinSource.tryAdd]] (or advances the sources that have nothing yet), and
  * polls whenever that says no. A source is full for good while another is silent, and every
  * source is while results are not taken.
  *
  * An exception in the join (a predicate that throws, a window beyond its limit) ends it: from
  * then on [[poll]], [[frontier]] and every call on a source throw that same exception. One that was
  * closed before it was done says so in the same way.
  */
trait RunningJoin extends AutoCloseable {
  def sources: IndexedSeq[JoinSource]

  /** The next result, or null when there is none yet. One thread at a time. */
  def poll(): JoinResult

  /** No result still to come has a later tuple with a time below it; `Long.MaxValue` once all are
    * out. It follows the sources' promises as it does their tuples, to the time up to which each of
    * them has delivered or promised, and never falls. The consumer's thread, like [[poll]].
    */
  def frontier: Long

  /** Whether every source has closed and every result was taken. False for a join that failed, or
    * was closed before; once true, always true. The consumer's thread.
    */
  def isDone: Boolean

  /** Work done so far by each thread; exact once the join is done or closed. Any thread. */
  def metrics: JoinMetrics

  /** What this join counts beside, by name: an index its "merges", keys their "splitting", workers their
    * "layout_changes". Once the join is done or closed, any thread.
    */
  def details: Seq[(String, Double)] = Nil

  /** Stops the join, interrupts its threads and waits until they have ended, whatever is still on
    * the way. Any thread but the join's own; a second call is void. From then on sources, [[poll]]
    * and [[frontier]] throw, unless the join was done.
    */
  def close(): Unit

  private[scalegate] def ending: Lifecycle
}
