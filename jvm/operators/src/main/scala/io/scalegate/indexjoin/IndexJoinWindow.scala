package io.scalegate.indexjoin

import io.scalegate.column.ColumnarWindow
import io.scalegate.index.{PositionBuffer, SlidingIndex}
import io.scalegate.join.JoinSpec
import io.scalegate.join.ordered.{SearchedWindow, WindowBounds}
import io.scalegate.stream.{Side, StreamTuple}

/** One stream's window with an index over one of its bands, or two (PIM-Tree §2.2, Fig. 1), and the last
  * search's answer. One thread at a time.
  *
  * @param index
  *   empty; null for a join without bands, whose candidates are a run of rows
  * @param band
  *   the band that an index of one dimension lies on; None leaves the choice to [[IndexJoinBand]]
  * @param dimensions
  *   as [[IndexKeys]] has them
  */
final private[scalegate] class IndexJoinWindow(
    side: Side,
    spec: JoinSpec,
    val index: SlidingIndex,
    band: Option[Int],
    dimensions: Int,
    maxRows: Int
) extends SearchedWindow {
  /*
   * A row's position in the index is its number among those that were stored, so the row at
   * position p is the (p − first)-th oldest of the columns, where `first` is the number of those
   * that have left. The index is told of what leaves by that one number.
   *
   * Of what the index finds the other bands are tested on the columns, before the sort: it is
   * paid for candidates only.
   */
  private[this] val window = new ColumnarWindow(spec.bands.map(_.attribute), maxRows)
  private[this] val bounds = new WindowBounds(side, spec)
  private[this] val width = spec.bands.length
  private[this] val choice =
    if (band.isDefined || width < 2 || dimensions > 1) null else new IndexJoinBand(width, 0)
  private[this] val found = new PositionBuffer
  private[this] val candidates = new PositionBuffer
  private[this] var keys = IndexKeys(spec.bands, band.getOrElse(0), dimensions)
  private[this] var tuples = 0L
  private[this] var kept = 0L
  private[this] var compared = 0L

  def isEmpty: Boolean = window.isEmpty
  def seen: Long = tuples
  def stored: Long = kept
  def peak: Int = window.peak

  /** Those in the ranges of keys that the index was asked for. */
  def comparisons: Long = compared

  def reach(t: StreamTuple): Int = {
    expireBefore(bounds.earliestFor(t))
    if (window.isEmpty || bounds.isOutOfTime(t)) 0 else window.countUpTo(bounds.latestFor(t))
  }

  def take(t: StreamTuple, isMine: Boolean): Unit = {
    if (isMine && bounds.canBeEarlier) {
      window.append(bounds.windowValue(t, tuples), t.attrs, t)
      if (index != null) index.insert(keys.key(t.attrs), keys.value(t.attrs), kept)
      kept += 1
    }
    expireBefore(bounds.earliestAfter(t, tuples))
    tuples += 1
  }

  def search(reach: Int, ranges: Array[Long]): Int =
    if (index == null) {
      compared += reach
      reach
    } else {
      if (choice != null && choice.changes(window, reach, ranges)) indexOn(choice.best)
      found.clear()
      keys.search(index, ranges, first, first + reach - 1, found)
      compared += found.tested
      candidates.clear()
      var k = 0
      while (k < found.size) {
        if (width == 1 || accepts(slot(found(k)), ranges)) candidates.add(found(k))
        k += 1
      }
      candidates.sort()
      candidates.size
    }

  def row(k: Int): StreamTuple = {
    val at = if (index == null) window.slot(k) else slot(candidates(k))
    tuple(at)
  }

  private[this] def tuple(slot: Int): StreamTuple = window.rowAt(slot).asInstanceOf[StreamTuple]

  /** The position of the oldest row. */
  private[this] def first: Long = kept - window.size

  private[this] def slot(position: Long): Int = window.slot((position - first).toInt)

  private[this] def accepts(at: Int, ranges: Array[Long]): Boolean = {
    var i = 0
    while (i < width) {
      if (i != keys.exact) {
        val v = IndexJoinWindow.value(window, at, i)
        if (v < ranges(2 * i) || v > ranges(2 * i + 1)) return false
      }
      i += 1
    }
    true
  }

  private[this] def expireBefore(earliest: Long): Unit = {
    window.expireBefore(earliest)
    if (index != null) index.expireBefore(first)
  }

  private[this] def indexOn(band: Int): Unit = {
    keys = IndexKeys(spec.bands, band, dimensions)
    index.clear()
    var p = first
    while (p < kept) {
      val attrs = tuple(slot(p)).attrs
      index.insert(keys.key(attrs), keys.value(attrs), p)
      p += 1
    }
  }
}

private[scalegate] object IndexJoinWindow {

  /** The i-th attribute of the row in slot `at`. */
  def value(window: ColumnarWindow, at: Int, i: Int): Long = {
    val ints = window.ints(i)
    if (ints != null) ints(at).toLong else window.longs(i)(at)
  }
}
