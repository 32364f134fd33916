package io.scalegate.join

import java.util.ArrayDeque

import io.scalegate.index.SlidingIndex
import io.scalegate.stream.{Side, StreamTuple}

/** The index-based window join (IBWJ, PIM-Tree §2.2) on the thread that polls. A ready tuple's
  * range on one band is looked up in an index over the opposite window; what that finds is tested
  * against the other bands on columns, brought into the order of the results, and left to the
  * residual predicate. A spec without bands leaves nothing to look up: then every row in reach is
  * a candidate.
  *
  * @param newIndex
  *   makes an empty index for a window that is expected to hold so many tuples
  * @param band
  *   the number of the band that the indexes lie on; None for the one that lets the least
  *   through, which is then found, and kept up with, by a running sample
  * @param timeWindowRows
  *   the tuples that a window in time is expected to hold of one stream; merge trees take a lower
  *   bound, a chained index is slow when there are many times as many
  */
final class IndexJoin(
    newIndex: Int => SlidingIndex,
    band: Option[Int] = None,
    timeWindowRows: Int = IndexJoin.TimeWindowRows
) extends JoinStrategy {
  def name: String = s"index join over ${newIndex(timeWindowRows).name}"

  def open(spec: JoinSpec, sources: IndexedSeq[Side], options: JoinOptions): RunningJoin = {
    IndexJoin.requireBand(band, spec)
    val rows = IndexJoinBounds.expectedRows(spec.window, timeWindowRows)
    val index = () => if (spec.bands.isEmpty) null else newIndex(rows)
    new RunningIndexJoin(spec, sources, options, index, band)
  }
}

object IndexJoin {
  val TimeWindowRows: Int = 1 << 12

  private[join] def requireBand(band: Option[Int], spec: JoinSpec): Unit =
    if (band.exists(b => b < 0 || b >= spec.bands.length) && spec.bands.nonEmpty)
      throw new IllegalArgumentException(
        s"there is no band ${band.get} to index: the join has ${spec.bands.length}; give a " +
          s"number from 0 to ${spec.bands.length - 1}, or None"
      )
}

final private class RunningIndexJoin(
    spec: JoinSpec,
    sides: IndexedSeq[Side],
    options: JoinOptions,
    newIndex: () => SlidingIndex,
    band: Option[Int]
) extends GatedJoin(spec, sides, options) {
  private[this] val input = gate.addReader()
  private[this] val results = new ArrayDeque[JoinResult]
  private[this] val bands = spec.bands.toArray
  private[this] val ranges = new Array[Long](2 * bands.length)
  private[this] val residual = spec.residual.map(_.apply()).orNull
  private[this] val r = new IndexJoinWindow(Side.R, spec, newIndex(), band, options.maxWindowRows)
  private[this] val s = new IndexJoinWindow(Side.S, spec, newIndex(), band, options.maxWindowRows)
  private[this] var matches = 0L
  @volatile private[this] var published = WorkerMetrics.Zero

  def poll(): JoinResult = {
    throwIfFailed()
    if (results.isEmpty) advance()
    results.poll()
  }

  def isDone: Boolean = results.isEmpty && input.isDone && !hasFailed

  def metrics: JoinMetrics = JoinMetrics(Vector(published))

  /** Takes ready tuples until one has results or there is none. */
  private[this] def advance(): Unit =
    try {
      var t = input.getNextReadyTuple()
      while (t != null) {
        step(t)
        t = if (results.isEmpty) input.getNextReadyTuple() else null
      }
      publish()
    } catch {
      case e: Throwable =>
        fail(e)
        throw e
    }

  private[this] def step(t: StreamTuple): Unit = {
    val own = if (t.side eq Side.R) r else s
    val opposite = if (t.side eq Side.R) s else r
    val rows = opposite.reach(t)
    if (rows > 0) probe(t, opposite, rows)
    own.take(t)
  }

  private[this] def probe(t: StreamTuple, window: IndexJoinWindow, rows: Int): Unit = {
    var i = 0
    while (i < bands.length) {
      ranges(2 * i) = bands(i).least(t.side, t.attrs(i))
      ranges(2 * i + 1) = bands(i).greatest(t.side, t.attrs(i))
      i += 1
    }
    val found = window.search(rows, ranges)
    var k = 0
    while (k < found) {
      val earlier = window.row(k)
      if (residual == null || accepts(t, earlier)) {
        matches += 1
        results.add(new JoinResult(t, earlier))
      }
      k += 1
    }
  }

  private[this] def accepts(t: StreamTuple, earlier: StreamTuple): Boolean =
    if (t.side eq Side.R) residual.matches(t, earlier) else residual.matches(earlier, t)

  private[this] def publish(): Unit =
    published = WorkerMetrics(
      r.comparisons + s.comparisons,
      matches,
      r.stored + s.stored,
      r.peak.toLong + s.peak
    )
}
