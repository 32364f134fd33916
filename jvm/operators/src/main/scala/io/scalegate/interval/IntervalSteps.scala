package io.scalegate.interval

import io.scalegate.join.ordered.ResultSink
import io.scalegate.join.{JoinSpec, WorkerMetrics}
import io.scalegate.stream.StreamTuple

/** One replica's part of the online interval join, where it reads every tuple: each that concerns it
  * meets its rows ([[KeyedRows]]), and is stored if it is this replica's turn. One thread at a
  * time.
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

  private[this] val keys = newTable()
  private[this] val guests = newTable()
  private[this] val rows = new KeyedRows(spec, maxRows, sink, Seq(keys, guests), () => now)
  private[this] var untilSweep = SweepEvery
  private[this] var now: StreamTuple = _

  def metrics: WorkerMetrics = rows.metrics

  /** Keys that are not forgotten. */
  def keyCount: Int = keys.size + guests.size

  def splitting: KeySplitting = placement.splitting

  /** Takes the next tuple `t`, which comes as `arrival`. */
  def step(arrival: StreamTuple, t: StreamTuple): Unit = {
    now = arrival
    if (placement.isPlanDue && placement.plan()) assign()
    if (untilSweep <= 0) sweep(arrival)
    untilSweep -= 1
    placement.observe(t)
    val windowValue = rows.next(t)
    val key = t.attrs(0)
    val hash = KeyTable.hash(key)
    val e = if (placement.isHome(hash)) keys.entry(key, hash) else guests.find(key, hash)
    if (e != null) {
      rows.probe(arrival, t, arrival, e)
      val isMine = e.of(t.side).takeTurn(e.members) == replica
      rows.keep(arrival, t, windowValue, e, isMine)
    }
  }

  private[this] def newTable() =
    new KeyTable[KeyEntry](key => new KeyEntry(key, placement.home(key)))

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

  /** Expires every key's rows, and forgets the keys of which no replica can have rows. */
  private[this] def sweep(arrival: StreamTuple): Unit = {
    rows.expireAll(arrival)
    for (table <- Seq(keys, guests))
      table.retain(table.all.filter(e => e.isPinned || rows.isReachable(e, arrival)))
    untilSweep = math.max(SweepEvery, 4 * keys.size)
  }
}

private object IntervalSteps {
  val SweepEvery = 1024
}
