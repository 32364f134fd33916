package io.scalegate.spark.exec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeProjection, UnsafeRow}

import io.scalegate.join.{Band, BuildRows, WindowSweep}
import io.scalegate.stream.Side

/** One side of a [[SweepJoinIterator]]: rows in the order of their key and, within it, of the attribute
  * that the window slides along. Rows with a NULL in either are passed over.
  */
final class SortedSide(
    rows: Iterator[InternalRow],
    keyOf: UnsafeProjection,
    val reader: AttributeReader
) {
  private[this] var currentRow: InternalRow = _
  private[this] var currentKey: UnsafeRow = _

  def row: InternalRow = currentRow

  /** The current row's key; valid until [[advance]]. */
  def key: UnsafeRow = currentKey

  /** Moves to the next row that can match anything; false at the end. */
  def advance(): Boolean = {
    var usable = false
    while (!usable && rows.hasNext) {
      currentRow = rows.next()
      currentKey = keyOf(currentRow)
      usable = !currentKey.anyNull() && reader.read(currentRow)
    }
    usable
  }
}

/** Joins the sorted rows of one partition, key by key, with the core's window sweep: each left row probes
  * the window of right rows. Gives pairs for which every bound and the residual predicate hold.
  *
  * @param bands
  *   the first bounds the attribute that both sides are sorted by within a key
  * @param order
  *   compares keys of the two sides
  * @param accepts
  *   the residual predicate
  * @param keep
  *   is told the rows and bytes of the window as it grows, and may refuse
  */
final class SweepJoinIterator(
    left: SortedSide,
    right: SortedSide,
    bands: IndexedSeq[Band],
    order: Ordering[InternalRow],
    accepts: InternalRow => Boolean,
    keep: WindowMemory
) extends JoinedPairs {
  private[this] val further = bands.tail
  private[this] val sweep = new WindowSweep(further.map(_.attribute))
  private[this] val ranges = new Array[Long](2 * further.length)
  private[this] val pair = new JoinedRow
  private[this] val group = new Group
  private[this] var rightLeft = right.advance() // the right side stands on a row not yet used
  private[this] var candidates = 0
  private[this] var taken = 0
  private[this] var ready = false

  def counts: Seq[Long] = Seq(sweep.comparisons, sweep.rowsKept, sweep.peakWindow.toLong)
  def close(): Unit = ()

  /** The pair that [[next]] gives is valid until the next call of [[hasNext]]. */
  def hasNext: Boolean = {
    while (!ready && (taken < candidates || nextProbe()))
      if (taken < candidates) {
        pair.withRight(sweep.candidate(taken).asInstanceOf[InternalRow])
        taken += 1
        ready = accepts(pair)
      }
    ready
  }

  def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("the join has no more rows")
    ready = false
    pair
  }

  private[this] def nextProbe(): Boolean =
    if (!left.advance()) false
    else {
      taken = 0
      candidates = if (enterGroup()) probe() else 0
      pair.withLeft(left.row)
      true
    }

  /** Brings the right side to the left row's key; false when it has no rows of that key. */
  private[this] def enterGroup(): Boolean =
    if (group.isOpen && order.compare(left.key, group.key) == 0) true
    else {
      group.close()
      while (rightLeft && order.compare(right.key, left.key) < 0) rightLeft = right.advance()
      if (rightLeft && order.compare(right.key, left.key) == 0) {
        group.open(right.key.copy())
        true
      } else false
    }

  private[this] def probe(): Int = {
    val keys = left.reader.keys
    var i = 0
    while (i < further.length) {
      ranges(2 * i) = further(i).least(Side.R, keys(i + 1))
      ranges(2 * i + 1) = further(i).greatest(Side.R, keys(i + 1))
      i += 1
    }
    val low = bands.head.least(Side.R, keys(0))
    val high = bands.head.greatest(Side.R, keys(0))
    if (low <= high) sweep.probe(low, high, ranges) else 0
  }

  /** The right rows of one key. */
  final private[this] class Group extends BuildRows {
    private[this] var started = false
    private[this] var bytes = 0L
    private[this] var rows = 0L
    var isOpen = false
    var key: UnsafeRow = _

    def open(groupKey: UnsafeRow): Unit = {
      key = groupKey
      isOpen = true
      started = false
      bytes = 0L
      rows = 0L
      sweep.restart(this)
    }

    def close(): Unit = isOpen = false

    def advance(): Boolean = {
      if (started) rightLeft = right.advance()
      started = true
      rightLeft && order.compare(right.key, key) == 0
    }

    def position: Long = right.reader.keys(0)

    def attribute(i: Int): Long = right.reader.keys(i + 1)

    def row(): AnyRef = {
      val copied = right.row.copy()
      bytes += RowSize.of(copied)
      rows += 1
      val inWindow = sweep.windowRows + 1L
      keep.reserve(inWindow, inWindow * (bytes / rows))
      copied
    }
  }
}
