package io.scalegate.interval

import io.scalegate.join.{JoinMetrics, JoinResult, JoinSource}
import io.scalegate.stream.{
  EventOrder,
  Lifecycle,
  SaturatingMath,
  Side,
  StreamTuple,
  WaitingSource
}

/** An interval join whose sources may be out of order, within the bound of a [[Lateness]].
  *
  * A source takes tuples in any order. What `JoinSource.tryAdd` says about order holds of
  * `advance` only: it promises that nothing before that time comes, whatever the bound.
  *
  * @param givesArrivals
  *   whether a result's later tuple is an [[Arrival]]
  */
final class LatenessJoin private[interval] (
    join: RunningPattern,
    lateness: Lateness,
    givesArrivals: Boolean
) extends RunningPattern {
  private[this] val late = join.sources.map(new LatenessSource(_, lateness))

  def sources: IndexedSeq[JoinSource] = late

  def poll(): JoinResult = {
    val result = join.poll()
    if (result == null || !givesArrivals) result else unwrapped(result)
  }

  def isDone: Boolean = join.isDone

  /** As in every join: sources' watermarks are what it follows. Where tuples join as they come, a
    * result behind it may be followed by an earlier one, but by none before it.
    */
  def frontier: Long = join.frontier

  def metrics: JoinMetrics = join.metrics

  def splitting: KeySplitting = join.splitting

  /** Tuples that came too late so far. Any thread. */
  def lateTuples: Long = late.map(_.lateTuples).sum

  def close(): Unit = join.close()

  private[scalegate] def ending: Lifecycle = join.ending

  /** A result's tuples in the order of events: `later` was only the later to arrive. */
  private[this] def unwrapped(result: JoinResult): JoinResult = {
    val t = Arrival.tuple(result.later)
    val other = result.earlier
    if (EventOrder.Tuples.compare(t, other) > 0) new JoinResult(t, other)
    else new JoinResult(other, t)
  }
}

private[interval] object LatenessJoin {

  /** Over a join whose sources take [[Arrival]]s, and whose results are of the tuples in them.
    *
    * @param join
    *   is given what finds the tuple in an arrival
    */
  def ofArrivals(lateness: Lateness)(
      join: (StreamTuple => StreamTuple) => RunningPattern
  ): LatenessJoin = new LatenessJoin(join(Arrival.tuple), lateness, givesArrivals = false)
}

/** Brings what a source delivers into an order that a gate can take: that of [[Arrival]]s. One
  * thread at a time; `lateTuples` by any.
  */
final private class LatenessSource(source: JoinSource, lateness: Lateness)
    extends JoinSource
    with WaitingSource {
  private[this] var watermark = Long.MinValue
  private[this] var arrivals = 0L
  private[this] var waiting: StreamTuple = _ // the arrival that found no room
  private[this] val lateCount = new java.util.concurrent.atomic.AtomicLong

  def side: Side = source.side

  def id: Int = source.id

  def lateTuples: Long = lateCount.get

  /** A late one is taken, too. */
  def canAdd(t: StreamTuple): Boolean = isLate(t) || source.canAdd(arrivalOf(t))

  def tryAdd(t: StreamTuple): Boolean =
    if (isLate(t)) {
      source.advance(watermark) // says nothing new, but refuses if the join has ended
      lateCount.lazySet(lateCount.getPlain + 1)
      lateness.onLate(t)
      true
    } else {
      val arrival = arrivalOf(t)
      val taken = source.tryAdd(arrival)
      if (taken) pass(arrival) else waiting = arrival
      taken
    }

  def advance(ts: Long): Unit = {
    if (ts > watermark) {
      watermark = ts
      waiting = null // its time would be before the watermark
    }
    source.advance(watermark)
  }

  def close(): Unit = source.close()

  override def toString: String = s"source $id"

  private[this] def isLate(t: StreamTuple): Boolean = t.source == id && t.ts < watermark

  private[this] def arrivalOf(t: StreamTuple): StreamTuple =
    if (waiting != null && (waiting.row eq t)) waiting
    else {
      val bound = SaturatingMath.subtract(t.ts, lateness.bound)
      Arrival(math.max(watermark, bound), arrivals, t)
    }

  private[this] def pass(arrival: StreamTuple): Unit = {
    watermark = arrival.ts
    arrivals += 1
    waiting = null
  }
}
