package io.scalegate.join.ordered

import io.scalegate.column.{ColumnarWindow, WindowProbe}
import io.scalegate.join.{JoinSpec, WorkerMetrics}
import io.scalegate.stream.{Side, Sides, StreamTuple}

/** Takes the pairs that [[ThreeSteps]] finds, in order. */
private[scalegate] trait ResultSink {
  def emit(later: StreamTuple, earlier: StreamTuple): Unit
}

/** A thread's share of one stream's window, how it slides, and the last search's answer. One
  * thread at a time.
  */
private[scalegate] trait SearchedWindow {

  /** Tuples of the stream so far, whoever stores them. */
  def seen: Long

  /** Expires what `t` of the opposite stream, and so every tuple after it, cannot pair with, and
    * returns how many of the oldest rows it can.
    */
  def reach(t: StreamTuple): Int

  /** Slides over `t` of this stream, and stores it if it is this share's. Its own time expires
    * rows too: a silent opposite stream must not let the window grow.
    */
  def take(t: StreamTuple, isMine: Boolean): Unit

  /** Searches the `reach` oldest rows, of which there is at least one, and returns the number of
    * candidates.
    *
    * @param ranges
    *   the inclusive bounds, two for each band
    */
  def search(reach: Int, ranges: Array[Long]): Int

  /** The last answer's k-th candidate, oldest first. Valid until the window changes. */
  def row(k: Int): StreamTuple

  /** Whether no row is in the window. */
  def isEmpty: Boolean

  /** Rows that were tested so far. */
  def comparisons: Long

  /** Rows that were stored so far. */
  def stored: Long

  /** The most rows that were in the window at once. */
  def peak: Int
}

/** The three-step procedure (Kang et al.; ScaleJoin §II) in its exact form: for each tuple in the
  * total order, expire the opposite window, probe it, insert the tuple into its own. The paper's
  * own order of steps compares a few pairs just outside of the window; this one does not.
  *
  * With `shares` above 1 it is one processing thread's part of ScaleJoin's Algorithm 1: it probes
  * with every tuple and inserts every `shares`-th of each stream, so that each pair is found by
  * exactly one thread. The paper counts the tuples of both streams with one counter; with two
  * threads and strictly alternating streams that gives all of R to one thread and all of S to the
  * other, which is as good as one thread alone when the windows differ in size. A counter for
  * each stream has no such case.
  *
  * One thread at a time.
  *
  * @param window
  *   one and the same for both sides where the stream is joined with itself
  */
final private[scalegate] class ThreeSteps(
    spec: JoinSpec,
    private[this] var turn: Int,
    private[this] var shares: Int,
    window: Side => SearchedWindow,
    sink: ResultSink
) {
  private[this] val windows = Sides.each(window)
  private[this] val distinct = windows.toSeq.distinct.toArray
  private[this] val condition = new PairCondition(spec)
  private[this] var matches = 0L
  private[this] var seenBefore = Sides(0L, 0L)

  /** From now on it stores every `shares`-th tuple of each stream, the `turn`-th at first; none if that
    * is below 0.
    */
  def share(turn: Int, shares: Int): Unit = {
    this.turn = turn
    this.shares = shares
    seenBefore = windows.map(_.seen)
  }

  /** Whether nothing that it has stored can be met any more. */
  def isEmpty: Boolean = windows.left.isEmpty && windows.right.isEmpty

  /** Takes the next tuple in the total order. */
  def step(t: StreamTuple): Unit = {
    val own = windows(t.side)
    val opposite = windows(t.side.opposite)
    val rows = opposite.reach(t)
    if (rows > 0) probe(t, opposite, rows)
    own.take(t, isMine = (own.seen - seenBefore(t.side)) % shares == turn)
  }

  /** What was done so far. It is asked for after each tuple. */
  def metrics: WorkerMetrics = {
    var (comparisons, stored, peak) = (0L, 0L, 0L)
    var i = 0
    while (i < distinct.length) {
      val window = distinct(i)
      comparisons += window.comparisons
      stored += window.stored
      peak += window.peak
      i += 1
    }
    WorkerMetrics(comparisons, matches, stored, peak)
  }

  private[this] def probe(t: StreamTuple, window: SearchedWindow, rows: Int): Unit = {
    val found = window.search(rows, condition.rangesOf(t))
    var k = 0
    while (k < found) {
      val earlier = window.row(k)
      if (condition.accepts(t, earlier)) {
        matches += 1
        sink.emit(t, earlier)
      }
      k += 1
    }
  }
}

/** What a spec's bands and residual predicate ask of a pair. One thread at a time. */
final private[scalegate] class PairCondition(spec: JoinSpec) {
  private[this] val bands = spec.bands.toArray
  private[this] val ranges = new Array[Long](2 * bands.length)
  private[this] val residual = spec.residual.map(_.apply()).orNull

  /** The inclusive bounds that `t` sets the other stream's attributes, two for each band. Valid
    * until the next call.
    */
  def rangesOf(t: StreamTuple): Array[Long] = {
    var i = 0
    while (i < bands.length) {
      ranges(2 * i) = bands(i).least(t.side, t.attrs(i))
      ranges(2 * i + 1) = bands(i).greatest(t.side, t.attrs(i))
      i += 1
    }
    ranges
  }

  /** Whether the residual predicate holds for a pair that the bands let through. */
  def accepts(later: StreamTuple, earlier: StreamTuple): Boolean =
    residual == null ||
      (if (later.side eq Side.R) residual.matches(later, earlier)
       else residual.matches(earlier, later))
}

/** A window as columns, searched from end to end. */
final private[scalegate] class ScannedWindow(side: Side, spec: JoinSpec, maxRows: Int)
    extends SearchedWindow {
  private[this] val window = new ColumnarWindow(spec.bands.map(_.attribute), maxRows)
  private[this] val bounds = new WindowBounds(side, spec)
  private[this] val probe = new WindowProbe(window)
  private[this] var tuples = 0L
  private[this] var kept = 0L

  def seen: Long = tuples
  def isEmpty: Boolean = window.isEmpty
  def stored: Long = kept
  def peak: Int = window.peak
  def comparisons: Long = probe.comparisons

  def reach(t: StreamTuple): Int = {
    window.expireBefore(bounds.earliestFor(t))
    if (window.isEmpty || bounds.isOutOfTime(t)) 0 else window.countUpTo(bounds.latestFor(t))
  }

  def take(t: StreamTuple, isMine: Boolean): Unit = {
    if (isMine && bounds.canBeEarlier) {
      window.append(bounds.windowValue(t, tuples), t.attrs, t)
      kept += 1
    }
    window.expireBefore(bounds.earliestAfter(t, tuples))
    tuples += 1
  }

  def search(reach: Int, ranges: Array[Long]): Int = probe.search(0, reach, ranges)

  def row(k: Int): StreamTuple = probe.row(k).asInstanceOf[StreamTuple]
}
