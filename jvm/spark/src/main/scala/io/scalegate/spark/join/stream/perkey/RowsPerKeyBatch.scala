package io.scalegate.spark.join.stream.perkey

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, UnsafeRow}

import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.stream.task.{BatchServices, StreamBatch}
import io.scalegate.stream.{Side, Sides}

/** The rows that one batch adds to a join over windows that count the rows of each key, in one partition. Each row in
  * turn, by time, side and columns, probes the last rows of the other side that have its key, and is then one of the
  * last rows of its own side. A row that is unmatched is given when it leaves its window.
  *
  * One thread, the task's. It holds the windows of the keys that the batch has rows of.
  *
  * @param rows
  *   that a window holds of each side
  * @param conditionOf
  *   these pairs, which are all that may be tested, in their order
  * @param before
  *   what was held; nothing of it is changed
  */
final private[scalegate] class RowsPerKeyBatch(
    probing: Probing,
    rows: Sides[Long],
    arrivals: Sides[KeyedArrivals],
    conditionOf: Iterator[InternalRow] => PairCondition,
    before: RowsPerKeyState,
    eventTimes: Sides[Int],
    batch: StreamBatch,
    services: BatchServices
) extends KeyedBatch(arrivals, before, batch, services) {
  import services.store

  private[this] val touched = mutable.HashMap.empty[UnsafeRow, Windows]
  private[this] val ofLeft = new Arriving(arrivals.left, probing.joinType.unmatchedR)
  private[this] val ofRight = new Arriving(arrivals.right, probing.joinType.unmatchedS)
  private[this] val atOnce = unmatchable(ofLeft) ++ unmatchable(ofRight)
  private[this] val pair = new JoinedRow
  private[this] val condition = conditionOf(pairs)
  private[this] var windows: Windows = _ // of the probe row, null when there is none
  private[this] var own: Arriving = _
  private[this] var other: Arriving = _
  private[this] var probeRow: KeyedRow = _
  private[this] var taken = 0 // of the other side's rows in the window
  private[this] var compared = 0L

  def comparisons: Long = compared

  protected def held(): RowsPerKeyState = {
    val changed = touched.iterator.map { case (key, w) =>
      key -> LastOfKey(
        w.left.map(arrivals.left.written(_, store)),
        w.right.map(arrivals.right.written(_, store))
      )
    }
    val keys = before.keys ++ changed
    new RowsPerKeyState(
      keys,
      arrivals.left.finish(store, ofLeft.evicted, ofLeft.evictedBytes),
      arrivals.right.finish(store, ofRight.evicted, ofRight.evictedBytes),
      batch.watermark,
      eventTimes
    )
  }

  protected def step(): Boolean =
    if (windows != null) {
      look()
      true
    } else if (atOnce.hasNext) {
      atOnce.next()()
      true
    } else {
      val next = first(ofLeft.nextTime, ofRight.nextTime)
      val unmatchable = first(ofLeft.nextUnmatchable, ofRight.nextUnmatchable)
      if (
        unmatchable != null && (next == null || timeOfUnmatchable(unmatchable) < timeOfNext(next))
      ) {
        giveUnmatched(unmatchable.side, unmatchable.takeUnmatchable())
        true
      } else if (next != null) {
        arrive(next)
        true
      } else false
    }

  private[this] def unmatchable(arriving: Arriving): Iterator[() => Unit] =
    arriving.rows.unmatchable.map(row => () => giveUnmatched(arriving.side, row))

  private[this] def timeOfNext(arriving: Arriving) = arriving.nextTime.get
  private[this] def timeOfUnmatchable(arriving: Arriving) = arriving.nextUnmatchable.get

  /** The side whose time comes first, the left one of equal times; null if there is none. */
  private[this] def first(l: Option[Long], r: Option[Long]): Arriving = (l, r) match {
    case (Some(a), Some(b)) => if (a <= b) ofLeft else ofRight
    case (Some(_), None) => ofLeft
    case (None, Some(_)) => ofRight
    case (None, None) => null
  }

  private[this] def arrive(from: Arriving): Unit = {
    own = from
    other = if (from eq ofLeft) ofRight else ofLeft
    probeRow = from.take()
    taken = 0
    val key = from.rows.keyOf(probeRow.row)
    windows = touched.getOrElse(
      key, {
        val kept = key.copy()
        val made = new Windows(before.keys.getOrElse(kept, LastOfKey.None))
        touched(kept) = made
        made
      }
    )
  }

  private[this] def look(): Unit = {
    val others = windows.rows(other.side)
    if (taken == others.size) settle()
    else {
      val earlier = others(taken)
      val decided = if (own.side eq probing.side) probeRow else earlier
      if (!probing.pairs && decided.matched) condition.pass(pairOf(earlier))
      else if (holds(earlier)) {
        if (probing.decides(own.side) && !probeRow.matched)
          probeRow = probeRow.copy(matched = true)
        if (probing.decides(other.side) && !earlier.matched)
          windows.set(other.side, others.updated(taken, earlier.copy(matched = true)))
        if (probing.pairs || !probing.unmatched)
          if (own.side eq Side.R) give(probeRow.row, earlier.row)
          else give(earlier.row, probeRow.row)
      }
      taken += 1
    }
  }

  private[this] def holds(earlier: KeyedRow): Boolean = {
    compared += 1
    if ((compared & RowsPerKeyBatch.Patience) == 0) services.waiting()
    condition.holds(pairOf(earlier))
  }

  private[this] def pairOf(earlier: KeyedRow) =
    if (own.side eq Side.R) pair(probeRow.row, earlier.row) else pair(earlier.row, probeRow.row)

  /** Of all rows in turn with all rows in the other side's windows. */
  private[this] def pairs: Iterator[InternalRow] = {
    val windows = mutable.HashMap.empty[UnsafeRow, LastOfKey]
    val other = new JoinedRow
    inTurn.flatMap { case (side, row) =>
      val key = arrivals(side).keyOf(row.row)
      val last = windows.getOrElse(key, before.keys.getOrElse(key, LastOfKey.None))
      windows(key.copy()) = last.and(side, row, rows(side))
      last.rows(side.opposite).iterator.map { earlier =>
        if (side eq Side.R) other(row.row, earlier.row) else other(earlier.row, row.row)
      }
    }
  }

  /** The rows of both sides by their times, the left one of equal times first. */
  private[this] def inTurn: Iterator[(Side, KeyedRow)] = {
    val (left, right) =
      (arrivals.left.now.iterator.buffered, arrivals.right.now.iterator.buffered)
    def isLeft = right.isEmpty || left.headOption.exists(_.time <= right.head.time)
    Iterator.continually(()).takeWhile(_ => left.nonEmpty || right.nonEmpty).map { _ =>
      if (isLeft) (Side.R, left.next()) else (Side.S, right.next())
    }
  }

  /** The probe row joins the window of its side. */
  private[this] def settle(): Unit = {
    val (ofKey, side) = (windows, own)
    windows = null
    val grown = ofKey.rows(side.side) :+ probeRow
    if (grown.size > rows(side.side)) {
      ofKey.set(side.side, grown.tail)
      side.leave(grown.head)
    } else ofKey.set(side.side, grown)
  }

  /** The windows of one key in this batch. */
  final private[this] class Windows(held: LastOfKey) {
    var left: Vector[KeyedRow] = held.left
    var right: Vector[KeyedRow] = held.right

    def rows(side: Side): Vector[KeyedRow] = if (side eq Side.R) left else right
    def set(side: Side, rows: Vector[KeyedRow]): Unit =
      if (side eq Side.R) left = rows else right = rows
  }

  /** One side's rows, in turn.
    *
    * @param isUnmatchedGiven
    *   whether those are given that are unmatched
    */
  final private[this] class Arriving(val rows: KeyedArrivals, isUnmatchedGiven: Boolean) {
    private[this] var at = 0
    private[this] var unmatchableAt = 0

    /** Rows that have left their windows, and their bytes. */
    var evicted = 0L
    var evictedBytes = 0L

    def side: Side = rows.side

    def nextTime: Option[Long] =
      Option.when(at < rows.now.size)(rows.now(at).time)

    def take(): KeyedRow = {
      at += 1
      rows.now(at - 1)
    }

    def nextUnmatchable: Option[Long] =
      Option.when(unmatchableAt < rows.unmatchableNow.size)(
        rows.inOrder.timeOf(rows.unmatchableNow(unmatchableAt))
      )

    def takeUnmatchable(): UnsafeRow = {
      unmatchableAt += 1
      rows.unmatchableNow(unmatchableAt - 1)
    }

    def leave(row: KeyedRow): Unit = {
      evicted += 1
      evictedBytes += row.bytes
      rows.remove(row, store)
      if (isUnmatchedGiven && !row.matched) giveUnmatched(side, row.row)
    }
  }
}

private[scalegate] object RowsPerKeyBatch {

  /** Pairs less one, a power of two, between two calls of `waiting`. */
  final private val Patience = (1 << 12) - 1
}
