package io.scalegate.interval

import io.scalegate.column.{RangeKernel, WindowLimitException}
import io.scalegate.join.ordered.{PairCondition, ResultSink, WindowBounds}
import io.scalegate.join.{JoinSpec, WorkerMetrics}
import io.scalegate.stream.{Side, StreamTuple}

/** One replica's part of the online interval join (PPOIJ §2.2, §4): for each tuple, drop from the
  * key's opposite buffer what no tuple can reach any more, probe the rest by binary search on
  * time, and store the tuple if it is this replica's turn. One thread at a time.
  *
  * @param maxRows
  *   the most rows of one stream in this replica
  */
final private[interval] class IntervalSteps(
    spec: JoinSpec,
    replica: Int,
    placement: KeyPlacement,
    maxRows: Int,
    sink: ResultSink
) {
  /*
   * Two clocks. In the ordered mode a tuple comes at its own time. In the unordered mode it
   * comes as an arrival whose time is the watermark: no tuple from then on has an earlier time.
   * What expires is decided by the arrival's time, what pairs by the tuple's own. With the two
   * equal, expiry leaves nothing before the probe's first row.
   *
   * A key's buffers are expired when a tuple of that key comes. For keys that fall silent all
   * are swept now and then: after four times as many tuples as there are keys, so that
   * a tuple pays for a quarter of a key, and before a row is refused for want of room. Only the
   * former forgets keys: where every replica has every key (DP), it comes after the same tuple in
   * all of them, and turns begin anew in all.
   *
   * Most tuples concern other replicas and cost a hash. Keys that a plan has brought here from
   * another home lie in a table of their own: it is small, and to miss in it is cheap. A key
   * that a plan takes away again stays in it, without a turn, until its rows have expired.
   */
  import IntervalSteps._

  private[this] val width = spec.bands.length - 1 // the key has no column
  private[this] val condition = new PairCondition(spec)
  private[this] val search = new KeyBufferSearch(width, RangeKernel.best)
  private[this] val keys = new KeyTable(placement.home)
  private[this] val guests = new KeyTable(placement.home)
  private[this] val r = new StreamShare(Side.R, spec, maxRows)
  private[this] val s = new StreamShare(Side.S, spec, maxRows)
  private[this] var matches = 0L
  private[this] var untilSweep = SweepEvery

  def metrics: WorkerMetrics =
    WorkerMetrics(search.comparisons, matches, r.stored + s.stored, r.peak.toLong + s.peak)

  /** Keys that are not forgotten. */
  def keyCount: Int = keys.size + guests.size

  def splitting: KeySplitting = placement.splitting

  /** Takes the next tuple `t`, which comes as `arrival`. */
  def step(arrival: StreamTuple, t: StreamTuple): Unit = {
    if (placement.isPlanDue && placement.plan()) assign()
    if (untilSweep <= 0) sweep(arrival)
    untilSweep -= 1
    placement.observe(t)
    val isR = t.side eq Side.R
    val own = if (isR) r else s
    val windowValue = own.next(t)
    val key = t.attrs(0)
    val hash = KeyTable.hash(key)
    val e = if (placement.isHome(hash)) keys.entry(key, hash) else guests.find(key, hash)
    if (e != null) {
      val opposite = if (isR) e.s.rows else e.r.rows
      if (opposite != null) probe(arrival, t, if (isR) s else r, opposite)
      keep(arrival, t, windowValue, own, if (isR) e.r else e.s, e.members)
    }
  }

  /** Takes over a plan: keys that were split are their first replica's again, unless they are
    * still.
    */
  private[this] def assign(): Unit = {
    for (e <- keys.all ++ guests.all if e.isPinned)
      e.assign(placement.home(e.key), pinned = false)
    for ((key, members) <- placement.splits if members.contains(replica)) {
      val table = if (placement.isHome(KeyTable.hash(key))) keys else guests
      table.entry(key).assign(members, pinned = true)
    }
  }

  private[this] def probe(
      arrival: StreamTuple,
      t: StreamTuple,
      share: StreamShare,
      rows: KeyBuffer
  ): Unit = {
    share.expire(rows, arrival)
    if (!rows.isEmpty && !share.bounds.isOutOfTime(t)) {
      val from = rows.indexFrom(share.bounds.earliestFor(t))
      val until = rows.indexAfter(share.bounds.latestFor(t))
      if (from < until) decide(arrival, t, rows, from, until)
    }
  }

  private[this] def decide(
      arrival: StreamTuple,
      t: StreamTuple,
      rows: KeyBuffer,
      from: Int,
      until: Int
  ): Unit = {
    val found = search.search(rows, from, until, condition.rangesOf(t))
    var k = 0
    while (k < found) {
      val earlier = search.row(k)
      if (condition.accepts(t, earlier)) {
        matches += 1
        sink.emit(arrival, earlier)
      }
      k += 1
    }
  }

  private[this] def keep(
      arrival: StreamTuple,
      t: StreamTuple,
      windowValue: Long,
      share: StreamShare,
      own: KeySide,
      members: Array[Int]
  ): Unit = {
    own.last = math.max(own.last, windowValue)
    if (own.rows != null) share.expire(own.rows, arrival)
    if (own.takeTurn(members) == replica && share.isReachable(windowValue, arrival)) {
      if (share.isFull) expireAll(arrival)
      if (own.rows == null) own.rows = new KeyBuffer(width)
      share.store(own.rows, windowValue, t)
    }
  }

  /** Expires every key's rows, and forgets the keys of which no replica can have rows. */
  private[this] def sweep(arrival: StreamTuple): Unit = {
    expireAll(arrival)
    for (table <- Seq(keys, guests))
      table.retain(
        table.all.filter(e =>
          e.isPinned || r.isReachable(e.r.last, arrival) || s.isReachable(e.s.last, arrival)
        )
      )
    untilSweep = math.max(SweepEvery, 4 * keys.size)
  }

  /** Expires every key's rows, and gives back the arrays of buffers that are empty then. */
  private[this] def expireAll(arrival: StreamTuple): Unit =
    for (table <- Seq(keys, guests); e <- table.all) {
      expire(e.r, r, arrival)
      expire(e.s, s, arrival)
    }

  private[this] def expire(side: KeySide, share: StreamShare, arrival: StreamTuple): Unit =
    if (side.rows != null) {
      share.expire(side.rows, arrival)
      if (side.rows.isEmpty) side.rows = null
    }
}

private object IntervalSteps {
  val SweepEvery = 1024
}

/** What one replica holds of one stream, over all keys. */
final private class StreamShare(side: Side, spec: JoinSpec, maxRows: Int) {
  val bounds = new WindowBounds(side, spec.window)
  private[this] var seen = 0L
  private[this] var rows = 0
  private[this] var highest = 0
  private[this] var kept = 0L

  def stored: Long = kept

  def peak: Int = highest

  def isFull: Boolean = rows >= maxRows

  /** The window value of the stream's next tuple, whoever stores it. */
  def next(t: StreamTuple): Long = {
    seen += 1
    bounds.windowValue(t, seen - 1)
  }

  /** Whether some tuple that comes with `arrival` or later can reach a row at `windowValue`. */
  def isReachable(windowValue: Long, arrival: StreamTuple): Boolean =
    windowValue >= earliest(arrival)

  def expire(buffer: KeyBuffer, arrival: StreamTuple): Unit =
    rows -= buffer.expireBefore(earliest(arrival))

  def store(buffer: KeyBuffer, windowValue: Long, t: StreamTuple): Unit = {
    if (isFull) throw new WindowLimitException(rows, maxRows)
    buffer.add(windowValue, t)
    kept += 1
    rows += 1
    if (rows > highest) highest = rows
  }

  /** Both streams go on from `arrival`: either's tuples push rows out. */
  private[this] def earliest(arrival: StreamTuple): Long =
    bounds.earliestAfter(arrival, seen - 1)
}
