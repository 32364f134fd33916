package io.scalegate.indexjoin

import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong}

import io.scalegate.column.SharedRows
import io.scalegate.index.PositionBuffer
import io.scalegate.join.ordered.PairCondition
import io.scalegate.join.{JoinSpec, WorkerMetrics}
import io.scalegate.stream.{Sides, StreamTuple}

/** What one thread of a [[ParallelIndexJoin]] does with a tuple: result generation and index
  * update of PIM-Tree §4.1. One thread at a time.
  *
  * @param keys
  *   its own, of the indexes
  * @param merging
  *   the join's: set while one of its threads merges an index, whichever
  */
final private[scalegate] class IndexJoinWorker(
    spec: JoinSpec,
    keys: IndexKeys,
    windows: Sides[IndexJoinSharedWindow],
    merging: AtomicBoolean,
    counters: IndexJoinCounters
) {
  private[this] val width = spec.bands.length
  private[this] val condition = new PairCondition(spec)
  private[this] var ranges: Array[Long] = _ // the tuple's
  private[this] val found = new PositionBuffer
  private[this] val candidates = new PositionBuffer

  /** Carries a task out. An entry's results come first: the consumer waits for them. */
  def process(task: IndexJoinTask, queue: IndexJoinQueue): Unit = {
    var n = task.from
    while (n < task.until) {
      val entry = queue.entry(n)
      val t = entry.tuple
      generate(entry)
      queue.complete(entry)
      insert(t, entry.position)
      entry.isIndexed = true
      queue.moveEdge()
      n += 1
    }
    maintain()
  }

  /** Generates the entry's results, in the order of the earlier tuples: what the index holds, then
    * the rows from the edge tuple on, which it may hold or not.
    */
  private[this] def generate(entry: IndexJoinEntry): Unit = {
    val t = entry.tuple
    val window = windows(t.side.opposite)
    ranges = condition.rangesOf(t)
    val edge = window.edge // before the search: what lies before it is found
    val rows = window.rows
    val scanned = if (window.index == null) entry.first else math.max(entry.first, edge)
    val indexed = math.min(entry.last, scanned - 1)
    if (entry.first <= indexed) lookUp(entry, window, rows, indexed)
    scan(entry, rows, scanned)
    counters.done(entry)
  }

  /** Inserts a tuple into the index of its stream. */
  private[this] def insert(t: StreamTuple, position: Long): Unit = {
    val index = windows(t.side).index
    if (index != null && position != IndexJoinSharedWindow.NotStored)
      index.add(keys.key(t.attrs), keys.value(t.attrs), position)
  }

  /** Lets the indexes forget what has left, and merges those for which that is due, while the other
    * threads go on. One thread at a time, whichever the index: streams of equal rates are due
    * together, and two threads that merged both would leave none for the tuples.
    */
  private[this] def maintain(): Unit = {
    val r = windows.left
    val s = windows.right
    if (r.index != null) {
      r.index.expireBefore(r.released)
      s.index.expireBefore(s.released)
      if ((r.index.isMergeDue || s.index.isMergeDue) && merging.compareAndSet(false, true))
        try {
          if (r.index.isMergeDue) r.index.tryMerge()
          if (s.index.isMergeDue) s.index.tryMerge()
          ()
        } finally merging.set(false)
    }
  }

  private[this] def lookUp(
      entry: IndexJoinEntry,
      window: IndexJoinSharedWindow,
      rows: SharedRows,
      last: Long
  ): Unit = {
    found.clear()
    keys.search(window.index, ranges, entry.first, last, found)
    counters.compared(found.tested.toInt)
    candidates.clear()
    var k = 0
    while (k < found.size) {
      if (width == 1 || rows.accepts(rows.slot(found(k)), ranges)) candidates.add(found(k))
      k += 1
    }
    candidates.sort()
    k = 0
    while (k < candidates.size) {
      decide(entry, rows.tuple(rows.slot(candidates(k))))
      k += 1
    }
  }

  private[this] def scan(entry: IndexJoinEntry, rows: SharedRows, from: Long): Unit = {
    if (from <= entry.last) counters.compared((entry.last - from + 1).toInt)
    var p = from
    while (p <= entry.last) {
      val at = rows.slot(p)
      if (rows.accepts(at, ranges)) decide(entry, rows.tuple(at))
      p += 1
    }
  }

  private[this] def decide(entry: IndexJoinEntry, earlier: StreamTuple): Unit =
    if (condition.accepts(entry.tuple, earlier)) entry.add(earlier)
}

/** What one thread has done so far: its own to count, anybody's to read. */
final private[scalegate] class IndexJoinCounters {
  private[this] val comparisons = new AtomicLong
  private[this] val matches = new AtomicLong
  private[this] val tuples = new AtomicLong

  def compared(rows: Int): Unit = comparisons.lazySet(comparisons.getPlain + rows)

  /** Before the consumer can see the results. */
  def done(entry: IndexJoinEntry): Unit = {
    matches.lazySet(matches.getPlain + entry.count)
    if (entry.position != IndexJoinSharedWindow.NotStored) tuples.lazySet(tuples.getPlain + 1)
  }

  def metrics(peakWindowRows: Long): WorkerMetrics =
    WorkerMetrics(comparisons.get, matches.get, tuples.get, peakWindowRows)
}
