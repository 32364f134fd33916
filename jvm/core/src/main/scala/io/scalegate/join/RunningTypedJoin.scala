package io.scalegate.join

import java.util.IdentityHashMap

import io.scalegate.stream.{RunningOperator, Side, StreamTuple, WaitingSource}

/** A [[TypedJoin]] under way: sources, threads and failures are those of a [[RunningJoin]]. Its frontier is
  * about the times of its own results.
  */
final class RunningTypedJoin private[join] (
    join: RunningJoin,
    joinType: JoinType,
    undecided: Map[Side, Undecided]
) extends RunningOperator[TypedResult](join.ending) {
  /*
   * The strategy gives pairs in order, and says by its frontier before which time no more will come. A tuple that
   * could last have matched at D is decided when that frontier has passed D, or a pair after D is at hand: then
   * every pair of it was seen here. So whatever threads found the pairs, one thread decides, the consumer.
   *
   * It has to know the tuples too, also those without a pair. A source leaves each tuple in a queue of its own
   * when the join is about to take it, and not before that is certain (Undecided): whatever lies below the frontier
   * was taken, and so is there, and what is there was taken.
   *
   * State: the tuples of a decided side that are in their windows or on their way, and one reference for each that
   * has matched.
   */
  private[this] val matched = new IdentityHashMap[StreamTuple, AnyRef]
  private[this] val decided = undecided.values.toArray
  private[this] var ahead: JoinResult = _
  private[this] var isEnd = false // no pair comes any more

  val sources: IndexedSeq[JoinSource] = join.sources.map { source =>
    undecided.get(source.side).fold(source)(u => new Known(source, u.arrivals()))
  }

  def metrics: JoinMetrics = join.metrics

  /** As [[RunningJoin.details]]. */
  def details: Seq[(String, Double)] = join.details

  override def close(): Unit = join.close()

  protected def take(): TypedResult =
    if (decided.nonEmpty) takeDecided()
    else {
      look()
      if (ahead == null) null else give()
    }

  protected def isExhausted: Boolean =
    if (decided.isEmpty) ahead == null && join.isDone
    else isEnd && ahead == null && earliestDue(Long.MaxValue) == null

  protected def reached: Long = {
    look()
    val time = reachedTime()
    val due = earliestDue(time)
    if (due == null) time else due.deadline
  }

  private[this] def takeDecided(): TypedResult = {
    var result: TypedResult = null
    var more = true
    while (result == null && more) {
      look()
      val due = earliestDue(reachedTime())
      if (due != null) result = decide(due)
      else if (ahead != null) result = give()
      else more = false
    }
    result
  }

  private[this] def look(): Unit = if (ahead == null) ahead = join.poll()

  /** The time that every pair at hand or still to come has reached. */
  private[this] def reachedTime(): Long =
    if (ahead != null) ahead.ts
    else {
      val frontier = join.frontier
      if (join.isDone) isEnd = true
      if (isEnd) Long.MaxValue else frontier
    }

  /** The side whose next tuple is decided before anything else happens, if there is one. */
  private[this] def earliestDue(reached: Long): Undecided = {
    var first: Undecided = null
    var i = 0
    while (i < decided.length) {
      if (
        decided(i).isDue(reached, isEnd && ahead == null) &&
        (first == null || decided(i).isBefore(first))
      ) first = decided(i)
      i += 1
    }
    first
  }

  private[this] def decide(side: Undecided): TypedResult = {
    val ts = side.deadline
    val t = side.take()
    val isLone = matched.remove(t) == null
    if (!isLone) null
    else if (t.side eq Side.R) { if (joinType.unmatchedR) new TypedResult(ts, t, null) else null }
    else new TypedResult(ts, null, t)
  }

  private[this] def give(): TypedResult = {
    val pair = ahead
    ahead = null
    val laterIsR = pair.later.side eq Side.R
    val r = if (laterIsR) pair.later else pair.earlier
    val s = if (laterIsR) pair.earlier else pair.later
    val isFirst = joinType.decides(Side.R) && matched.put(r, r) == null
    if (joinType.decides(Side.S)) matched.put(s, s)
    if (joinType.pairs) new TypedResult(pair.ts, r, s)
    else if (joinType.onceR && isFirst) new TypedResult(pair.ts, r, null)
    else null
  }

  /** A source whose tuples are decided. */
  final private[this] class Known(source: JoinSource, arrivals: TypedArrivals)
      extends JoinSource
      with WaitingSource {
    def side: Side = source.side
    def id: Int = source.id

    def canAdd(t: StreamTuple): Boolean = source.canAdd(t)

    def tryAdd(t: StreamTuple): Boolean = source.canAdd(t) && {
      arrivals.add(t)
      source.tryAdd(t)
    }

    def advance(ts: Long): Unit = source.advance(ts)
    def close(): Unit = source.close()
    override def toString: String = source.toString
  }
}
