package io.scalegate.join

import io.scalegate.stream.{IdleStrategy, Lifecycle, Side, StreamTuple, TupleSource}

/** A way to run a stream join. Every strategy takes the same spec and gives the same results in
  * the same order: that of [[ResultOrder]], whatever the interleaving of the sources and the
  * number of threads.
  */
trait JoinStrategy {
  def name: String

  /** Starts a join whose i-th source delivers tuples of `sources(i)`. The caller closes it. */
  def open(
      spec: JoinSpec,
      sources: IndexedSeq[Side],
      options: JoinOptions = JoinOptions()
  ): RunningJoin
}

/** What a running join may hold, and how its own threads wait.
  *
  * @param inputCapacity
  *   tuples of one source that may wait for the slowest thread
  * @param outputCapacity
  *   results of one thread that may wait for the consumer
  * @param maxWindowRows
  *   rows that one thread may keep of one stream; beyond, the join ends with a
  *   [[WindowLimitException]]
  * @param idle
  *   makes the waiting strategy of each of the join's own threads
  */
final case class JoinOptions(
    inputCapacity: Int = 4096,
    outputCapacity: Int = 4096,
    maxWindowRows: Int = ColumnarWindow.MostRows,
    idle: () => IdleStrategy = () => new IdleStrategy.Backoff()
)

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

  /** Stops the join, interrupts its threads and waits until they have ended, whatever is still on
    * the way. Any thread but the join's own; a second call is void. From then on sources, [[poll]]
    * and [[frontier]] throw, unless the join was done.
    */
  def close(): Unit

  private[join] def ending: Lifecycle
}

/** Where one physical stream enters a two-sided join. */
trait JoinSource extends TupleSource {

  /** The logical stream that it belongs to. */
  def side: Side

  /** Whether [[tryAdd]] takes the tuple; throws what that throws. Once true it stays true until this
    * source delivers, advances or closes, or the join ends. For one that would make its tuples in vain.
    */
  def canAdd(t: StreamTuple): Boolean
}
