package io.scalegate.spark.join.rowcount

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, JoinedRow, UnsafeRow}
import org.apache.spark.sql.scalegate.TaskAccess

import io.scalegate.band.Band
import io.scalegate.lookup.LastRows
import io.scalegate.spark.join.{Probing, UngroupedPairs}
import io.scalegate.spark.rows.{RowSize, UnsafeRows, WindowMemory}
import io.scalegate.stream.{Side, Sides}

/** Joins two inputs key by key: the rows of both sides of a key in the order of their times, each of which probes the
  * last rows of the other side and is then one of the last rows of its own. A row that is unmatched is given when it
  * leaves its window.
  *
  * One thread, the task's. It holds the last rows of both sides of one key, and reserves memory for them; nothing is
  * spilled.
  *
  * @param bands
  *   of what [[KeyedRows.values]] holds
  * @param order
  *   compares keys of the two sides
  */
final class RowsPerKeyIterator(
    probing: Probing,
    rows: Sides[Long],
    inputs: Sides[KeyedRows],
    bands: IndexedSeq[Band],
    order: Ordering[InternalRow],
    accepts: Option[BasePredicate]
) extends UngroupedPairs(probing.side) {
  import RowsPerKeyIterator._

  private[this] val task = TaskContext.get()
  private[this] val memory = WindowMemory.ofTask(task)
  private[this] val left = inputs.left
  private[this] val right = inputs.right
  private[this] val types = bands.map(_.attribute)
  private[this] val ofLeft =
    new Windowed(left, new LastRows(types, rows.left), probing.joinType.unmatchedR)
  private[this] val ofRight =
    new Windowed(right, new LastRows(types, rows.right), probing.joinType.unmatchedS)
  private[this] val ranges = new Array[Long](2 * bands.length)
  private[this] val pair = new JoinedRow
  private[this] val condition = accepts.orNull
  private[this] var key: UnsafeRow = _ // whose rows are being joined, null between two keys
  private[this] var own: Windowed = _ // of the probe row, null when there is none
  private[this] var other: Windowed = _
  private[this] var probeRow: KeptRow = _
  private[this] var candidates = 0
  private[this] var taken = 0
  private[this] var uncounted: KeyedRows =
    _ // stands on a row that was given for having no key or time
  private[this] var steps = 0
  private[this] var kept = 0L
  left.advance()
  right.advance()

  def counts: Seq[Long] = Seq(
    ofLeft.window.comparisons + ofRight.window.comparisons,
    kept,
    ofLeft.window.peak.toLong + ofRight.window.peak
  )

  protected def seek(): Unit = while (!isGiven && step()) breathe()

  def close(): Unit = ()

  /** A task that gives no rows is not ended by those that read them when it is killed. */
  private[this] def breathe(): Unit = {
    steps += 1
    if ((steps & Patience) == 0) TaskAccess.stopIfKilled(task)
  }

  /** One candidate, or one row; false when there are no more of both. */
  private[this] def step(): Boolean = {
    if (uncounted != null) {
      uncounted.advance()
      uncounted = null
    }
    if (own != null) look()
    else if (isUncounted(left)) leave(ofLeft)
    else if (isUncounted(right)) leave(ofRight)
    else if (key == null) {
      if (left.row != null || right.row != null) key = least.copy()
    } else if (!isOfKey(left) && !isOfKey(right)) endKey()
    else if (!isOfKey(right) || (isOfKey(left) && left.time <= right.time))
      arrive(ofLeft, ofRight)
    else arrive(ofRight, ofLeft)
    isGiven || own != null || key != null || left.row != null || right.row != null
  }

  private[this] def isUncounted(rows: KeyedRows) = rows.row != null && !rows.isCounted

  private[this] def isOfKey(rows: KeyedRows) =
    rows.row != null && order.compare(rows.key, key) == 0

  private[this] def least: UnsafeRow =
    if (right.row == null || (left.row != null && order.compare(left.key, right.key) <= 0))
      left.key
    else right.key

  /** A row that is in no window and matches nothing. */
  private[this] def leave(windowed: Windowed): Unit = {
    uncounted = windowed.rows
    if (windowed.isUnmatchedGiven) giveUnmatched(windowed, windowed.rows.row)
  }

  /** The row that a cursor stands on begins to probe. */
  private[this] def arrive(from: Windowed, to: Windowed): Unit = {
    own = from
    other = to
    probeRow = new KeptRow(from.rows.row.copy())
    taken = 0
    candidates = if (from.rows.read()) search() else 0
  }

  private[this] def search(): Int = {
    val values = own.rows.values
    var i = 0
    while (i < bands.length) {
      ranges(2 * i) = bands(i).least(own.side, values(i))
      ranges(2 * i + 1) = bands(i).greatest(own.side, values(i))
      i += 1
    }
    other.window.probe(ranges)
  }

  private[this] def look(): Unit =
    if (taken == candidates) settle()
    else {
      val earlier = other.window.candidate(taken).asInstanceOf[KeptRow]
      taken += 1
      val decided = if (own.side eq probing.side) probeRow else earlier
      // Of a row that is given for its first match, no other is needed.
      if ((probing.pairs || !decided.matched) && holds(earlier)) {
        probeRow.matched = true
        earlier.matched = true
        if (probing.pairs || !probing.unmatched) {
          val ofLeft = own.side eq Side.R
          if (ofLeft) giveSides(probeRow.row, earlier.row)
          else giveSides(earlier.row, probeRow.row)
        }
      }
    }

  private[this] def holds(earlier: KeptRow): Boolean = condition == null || {
    if (own.side eq Side.R) pair(probeRow.row, earlier.row)
    else pair(earlier.row, probeRow.row)
    condition.eval(pair)
  }

  /** The probe row joins the window of its side, and the cursor moves on. */
  private[this] def settle(): Unit = {
    val from = own
    val evicted = from.window.add(from.rows.values, probeRow).asInstanceOf[KeptRow]
    kept += 1
    from.bytes += probeRow.bytes - (if (evicted == null) 0L else evicted.bytes)
    memory.reserve(
      ofLeft.window.size.toLong + ofRight.window.size,
      ofLeft.bytes + ofRight.bytes
    )
    from.rows.advance()
    own = null
    if (evicted != null) decide(from, evicted)
  }

  /** Rows of the key that are left in the windows are decided one at a time. */
  private[this] def endKey(): Unit = {
    val from = if (ofLeft.window.size > 0) ofLeft else ofRight
    val evicted = from.window.removeOldest().asInstanceOf[KeptRow]
    if (evicted != null) decide(from, evicted)
    else {
      key = null
      ofLeft.bytes = 0L
      ofRight.bytes = 0L
    }
  }

  private[this] def decide(windowed: Windowed, evicted: KeptRow): Unit =
    if (windowed.isUnmatchedGiven && !evicted.matched) giveUnmatched(windowed, evicted.row)

  private[this] def giveUnmatched(windowed: Windowed, row: UnsafeRow): Unit =
    if (windowed.side eq Side.R) giveSides(row, ofRight.nulls) else giveSides(ofLeft.nulls, row)
}

private object RowsPerKeyIterator {

  /** Steps less one, a power of two, between two questions whether the task goes on. */
  final private val Patience = (1 << 12) - 1

  /** A row of a window, and whether it has matched anything. */
  final class KeptRow(val row: UnsafeRow) {
    var matched = false
    def bytes: Long = RowSize.inBytes(row)
  }

  /** One side of the join.
    *
    * @param isUnmatchedGiven
    *   whether its rows are given that match nothing
    */
  final class Windowed(val rows: KeyedRows, val window: LastRows, val isUnmatchedGiven: Boolean) {
    val side: Side = rows.side
    val nulls: UnsafeRow = UnsafeRows.ofNulls(rows.columns)
    var bytes = 0L // of the rows in the window
  }
}
