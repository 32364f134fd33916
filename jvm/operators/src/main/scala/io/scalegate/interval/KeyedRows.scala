package io.scalegate.interval

import io.scalegate.column.{RangeKernel, WindowLimitException}
import io.scalegate.join.ordered.{PairCondition, ResultSink, WindowBounds}
import io.scalegate.join.{JoinSpec, WorkerMetrics}
import io.scalegate.stream.{Side, Sides, StreamTuple}

/** One replica's rows by key, and how a tuple meets them (PPOIJ §2.2, §4): drop from the key's
  * opposite buffer what no tuple can reach any more, probe the rest by binary search on time, and
  * store the tuple where it is this replica's. One thread at a time.
  *
  * `low` is a tuple or heartbeat at a time that no tuple to come, of the key in question, is before:
  * what it cannot reach has expired.
  *
  * @param maxRows
  *   the most rows of one stream in this replica
  * @param tables
  *   every key of this replica
  * @param lowOfAll
  *   as `low`, for tuples of any key: asked for when there is no room for a row
  */
final private[interval] class KeyedRows(
    spec: JoinSpec,
    maxRows: Int,
    sink: ResultSink,
    tables: Seq[KeyTable[KeyEntry]],
    lowOfAll: () => StreamTuple
) {
  private[this] val width = spec.bands.length - 1 // the key has no column
  private[this] val condition = new PairCondition(spec)
  private[this] val search = new KeyBufferSearch(width, RangeKernel.best)
  private[this] val shares = Sides.each(new StreamShare(_, spec, maxRows))
  private[this] val r = shares.left
  private[this] val s = shares.right
  private[this] var matches = 0L

  def metrics: WorkerMetrics =
    WorkerMetrics(search.comparisons, matches, r.stored + s.stored, r.peak.toLong + s.peak)

  /** The window value of its stream's next tuple `t`, whoever stores it. */
  def next(t: StreamTuple): Long = shareOf(t.side).next(t)

  /** Gives the pairs of `t` with the rows of its key, which come out as pairs of `as`. */
  def probe(low: StreamTuple, t: StreamTuple, as: StreamTuple, key: KeyEntry): Unit = {
    val rows = key.of(t.side.opposite).rows
    if (rows != null) {
      val share = shareOf(t.side.opposite)
      share.expire(rows, low)
      if (!rows.isEmpty && !share.bounds.isOutOfRange(t)) {
        val from = rows.indexFrom(share.bounds.earliestWantedBy(t))
        val until = rows.indexAfter(share.bounds.latestFor(t))
        if (from < until) decide(t, as, rows, from, until)
      }
    }
  }

  /** Takes note of `t`, and stores it if it is this replica's and some tuple can reach it. */
  def keep(
      low: StreamTuple,
      t: StreamTuple,
      windowValue: Long,
      key: KeyEntry,
      isMine: Boolean
  ): Unit = {
    val share = shareOf(t.side)
    val own = key.of(t.side)
    own.last = math.max(own.last, windowValue)
    if (own.rows != null) share.expire(own.rows, low)
    if (isMine && share.isReachable(windowValue, low)) {
      if (share.isFull) expireAll(lowOfAll())
      if (own.rows == null) own.rows = new KeyBuffer(width)
      share.store(own.rows, windowValue, t)
    }
  }

  /** Whether some tuple from `low` on can reach one of the key's that has come, whoever stores it. */
  def isReachable(key: KeyEntry, low: StreamTuple): Boolean =
    r.isReachable(key.r.last, low) || s.isReachable(key.s.last, low)

  /** Expires every key's rows, and gives back the arrays of buffers that are empty then. */
  def expireAll(low: StreamTuple): Unit =
    for (table <- tables; e <- table.all) {
      expire(e.r, r, low)
      expire(e.s, s, low)
    }

  private[this] def shareOf(side: Side): StreamShare = if (side eq Side.R) r else s

  private[this] def decide(
      t: StreamTuple,
      as: StreamTuple,
      rows: KeyBuffer,
      from: Int,
      until: Int
  ): Unit = {
    val found = search.search(rows, from, until, condition.rangesOf(t))
    var k = 0
    while (k < found) {
      val other = search.row(k)
      if (condition.accepts(t, other)) {
        matches += 1
        sink.emit(as, other)
      }
      k += 1
    }
  }

  private[this] def expire(side: KeySide, share: StreamShare, low: StreamTuple): Unit =
    if (side.rows != null) {
      share.expire(side.rows, low)
      if (side.rows.isEmpty) side.rows = null
    }
}

/** What one replica holds of one stream, over all keys. */
final private class StreamShare(side: Side, spec: JoinSpec, maxRows: Int) {
  val bounds = new WindowBounds(side, spec)
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

  /** Whether some tuple that comes with `low` or later can reach a row at `windowValue`. */
  def isReachable(windowValue: Long, low: StreamTuple): Boolean = windowValue >= earliest(low)

  def expire(buffer: KeyBuffer, low: StreamTuple): Unit =
    rows -= buffer.expireBefore(earliest(low))

  def store(buffer: KeyBuffer, windowValue: Long, t: StreamTuple): Unit = {
    if (isFull) throw new WindowLimitException(rows, maxRows)
    buffer.add(windowValue, t)
    kept += 1
    rows += 1
    if (rows > highest) highest = rows
  }

  /** Both streams go on from `low`: either's tuples push rows out. */
  private[this] def earliest(low: StreamTuple): Long = bounds.earliestAfter(low, seen - 1)
}
