package io.scalegate.lookup

import io.scalegate.band.AttributeType
import io.scalegate.column.{ColumnarWindow, WindowProbe}

/** The window join of two sorted inputs, one probe at a time: a sliding window over the build
  * side, for batches, where nothing has to wait for readiness.
  *
  * Probes come in rising order of the low end of their range of positions; the high ends are
  * free. A build row enters the window when a probe's range first reaches it and leaves when the
  * ranges have passed it, so the build side is read once and at most one row ahead. One thread at
  * a time.
  *
  * @param attributes
  *   the types of the build side's attributes that probes bound besides the position
  * @param maxRows
  *   the window size beyond which [[probe]] throws a `WindowLimitException`
  */
final class WindowSweep(
    attributes: IndexedSeq[AttributeType],
    maxRows: Int = ColumnarWindow.MostRows
) {
  private[this] val window = new ColumnarWindow(attributes, maxRows)
  private[this] val finder = new WindowProbe(window)
  private[this] val width = attributes.length
  private[this] var build: BuildRows = _
  private[this] var ahead = false // the cursor stands on a row that is not in the window,
  private[this] var aheadPosition = 0L // at this position
  private[this] var lastLow = Long.MinValue
  private[this] var kept = 0L

  /** Starts over with another build side, such as the next key's: the window is emptied. */
  def restart(rows: BuildRows): Unit = {
    window.clear()
    build = rows
    ahead = rows.advance()
    if (ahead) aheadPosition = rows.position
    lastLow = Long.MinValue
  }

  /** Finds the build rows with a position in `[low, high]` and attributes within `ranges`.
    *
    * @param low
    *   not below the previous probe's since [[restart]]
    * @param ranges
    *   inclusive bounds, two for each attribute: the i-th lies in `[ranges(2i), ranges(2i + 1)]`
    * @return
    *   the number of candidates, in the order of the build side; [[WindowSweep.NoRoom]] when the build side
    *   had no room for the row that it stands on: then the window is of no more use but to be emptied
    */
  def probe(low: Long, high: Long, ranges: Array[Long]): Int = {
    if (low < lastLow) throw new IllegalArgumentException(outOfOrder("probe", low, lastLow))
    lastLow = low
    window.expireBefore(low)
    var room = true
    while (room && ahead && aheadPosition <= high) room = pull(low)
    if (room) finder.search(0, window.countUpTo(high), ranges) else WindowSweep.NoRoom
  }

  /** The k-th row that the last probe found; valid until the next one. */
  def candidate(k: Int): AnyRef = finder.row(k)

  /** Rows tested against a probe's ranges so far. */
  def comparisons: Long = finder.comparisons

  /** Build rows that entered the window so far. */
  def rowsKept: Long = kept

  /** Rows that are in the window now. */
  def windowRows: Int = window.size

  /** The most rows that were in the window at once. */
  def peakWindow: Int = window.peak

  /** Takes the oldest row out of the window; null when it is empty. */
  def removeOldest(): AnyRef = window.removeOldest()

  /** Takes the row ahead into the window, or leaves it out when no probe can reach it any more; false
    * when there is no room for it.
    */
  private[this] def pull(low: Long): Boolean = {
    val position = aheadPosition
    val room = position < low || keep(position)
    if (room) {
      ahead = build.advance()
      if (ahead) {
        aheadPosition = build.position
        if (aheadPosition < position)
          throw new IllegalArgumentException(outOfOrder("build", aheadPosition, position))
      }
    }
    room
  }

  private[this] def keep(position: Long): Boolean = {
    val row = build.row()
    if (row != null) {
      val at = window.append(position, row)
      var i = 0
      while (i < width) {
        window.set(at, i, build.attribute(i))
        i += 1
      }
      kept += 1
    }
    row != null
  }

  private[this] def outOfOrder(side: String, now: Long, before: Long): String =
    s"the $side side of a window sweep is not sorted: $now comes after $before"
}

object WindowSweep {

  /** Instead of a number of candidates. */
  val NoRoom: Int = -1
}
