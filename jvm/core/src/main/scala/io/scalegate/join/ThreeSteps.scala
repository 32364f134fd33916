package io.scalegate.join

import io.scalegate.stream.{CountWindow, Side, StreamTuple, TimeWindow}

/** Takes the pairs that [[ThreeSteps]] finds, in order. */
private[join] trait ResultSink {
  def emit(later: StreamTuple, earlier: StreamTuple): Unit
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
  */
final private[join] class ThreeSteps(
    spec: JoinSpec,
    share: Int,
    shares: Int,
    maxWindowRows: Int,
    sink: ResultSink
) {
  private[this] val bands = spec.bands.toArray
  private[this] val r = new StreamWindow(Side.R, spec, maxWindowRows)
  private[this] val s = new StreamWindow(Side.S, spec, maxWindowRows)
  private[this] val ranges = new Array[Long](2 * bands.length)
  private[this] val residual = spec.residual.map(_.apply()).orNull
  private[this] var matches = 0L

  /** Takes the next tuple in the total order. */
  def step(t: StreamTuple): Unit = {
    val own = if (t.side eq Side.R) r else s
    val opposite = if (t.side eq Side.R) s else r
    val rows = opposite.reach(t)
    if (rows > 0) probe(t, opposite.probe, rows)
    own.take(t, isMine = own.seen % shares == share)
  }

  def metrics: WorkerMetrics = WorkerMetrics(
    r.probe.comparisons + s.probe.comparisons,
    matches,
    r.stored + s.stored,
    r.peak.toLong + s.peak
  )

  private[this] def probe(t: StreamTuple, window: WindowProbe, rows: Int): Unit = {
    var i = 0
    while (i < bands.length) {
      ranges(2 * i) = bands(i).least(t.side, t.attrs(i))
      ranges(2 * i + 1) = bands(i).greatest(t.side, t.attrs(i))
      i += 1
    }
    val found = window.search(0, rows, ranges)
    var k = 0
    while (k < found) {
      val earlier = window.row(k).asInstanceOf[StreamTuple]
      if (residual == null || matches(t, earlier)) {
        matches += 1
        sink.emit(t, earlier)
      }
      k += 1
    }
  }

  private[this] def matches(t: StreamTuple, earlier: StreamTuple): Boolean =
    if (t.side eq Side.R) residual.matches(t, earlier) else residual.matches(earlier, t)
}

/** A share of one stream's window, and how it slides. */
final private class StreamWindow(side: Side, spec: JoinSpec, maxRows: Int) {
  private[this] val window = new ColumnarWindow(spec.bands.map(_.attribute), maxRows)
  private[this] var tuples = 0L
  private[this] var kept = 0L
  private[this] val time = spec.window match {
    case w: TimeWindow => w
    case _: CountWindow => null
  }
  private[this] val lastRows = spec.window match {
    case w: CountWindow => w.size
    case _: TimeWindow => 0L
  }

  /** Whether a tuple of this stream can be the earlier one of a pair at all. */
  private[this] val canBeEarlier =
    time == null || (if (side eq Side.R) time.upper >= 0 else time.lower <= 0)

  val probe = new WindowProbe(window)

  /** Tuples of the stream so far, whoever stores them. */
  def seen: Long = tuples

  def stored: Long = kept

  def peak: Int = window.peak

  /** Expires what `t` of the opposite stream, and so every tuple after it, cannot pair with, and
    * returns how many of the oldest rows it can.
    */
  def reach(t: StreamTuple): Int =
    if (time == null) window.size
    else {
      window.expireBefore(time.earliest(t.side, t.ts))
      if (window.isEmpty || isOutOfTime(t)) 0 else window.countUpTo(time.latest(t.side, t.ts))
    }

  /** Slides over `t` of this stream, and stores it if it is this share's. Its own time expires
    * rows too: a silent opposite stream must not let the window grow.
    */
  def take(t: StreamTuple, isMine: Boolean): Unit = {
    if (isMine && canBeEarlier) {
      window.append(if (time == null) tuples else t.ts, t.attrs, t)
      kept += 1
    }
    tuples += 1
    window.expireBefore(
      if (time == null) tuples - lastRows else time.earliest(side.opposite, t.ts)
    )
  }

  /** Whether all that `t` can pair with lies beyond the ends of `Long`, where bounds saturate. */
  private[this] def isOutOfTime(t: StreamTuple): Boolean =
    if (t.side eq Side.R)
      (time.lower > 0 && t.ts > Long.MaxValue - time.lower) ||
      (time.upper < 0 && t.ts < Long.MinValue - time.upper)
    else
      (time.upper < 0 && t.ts > Long.MaxValue + time.upper) ||
      (time.lower > 0 && t.ts < Long.MinValue + time.lower)
}
