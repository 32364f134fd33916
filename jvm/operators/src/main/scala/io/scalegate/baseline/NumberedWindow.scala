package io.scalegate.baseline

import io.scalegate.band.AttributeType
import io.scalegate.column.{ColumnarWindow, WindowLimitException}
import io.scalegate.join.JoinSpec
import io.scalegate.join.ordered.WindowBounds
import io.scalegate.stream.{Side, StreamTuple}

/** One stream's window whose rows are known by their number in the stream, so that a tuple's reach
  * into it can be written down and searched later:
  *
  * {{{
  *   dropped       first                  until
  *   ---+------------+-----------------------+-----> numbers
  *      | left, kept | in the window         |
  * }}}
  *
  * Rows stay after they have left the window, until [[drop]]. Written by one thread; others may
  * read between two writes that they learn of.
  *
  * @param attributes
  *   the columns that are kept: a prefix of the spec's bands, or none
  * @param maxRows
  *   rows in the window beyond which [[take]] refuses
  */
final private[baseline] class NumberedWindow(
    side: Side,
    spec: JoinSpec,
    attributes: IndexedSeq[AttributeType],
    maxRows: Int
) {
  val columns: ColumnarWindow = new ColumnarWindow(attributes)
  private[this] val bounds = new WindowBounds(side, spec)
  private[this] var tuples = 0L
  private[this] var evicted = 0L
  private[this] var head = 0L
  private[this] var windowValue = Long.MinValue // of the head, at least
  private[this] var most = 0L

  /** Tuples of the stream so far: the number of the next. */
  def seen: Long = tuples

  /** Whether a tuple of this stream can be the earlier of a pair at all, and is kept. */
  def keeps: Boolean = bounds.canBeEarlier

  /** The number of the oldest row in the window; of the next tuple, if this stream's can never be
    * the earlier of a pair and none is kept.
    */
  def first: Long = if (bounds.canBeEarlier) head else tuples

  /** The number of the oldest row in [[columns]]. */
  def dropped: Long = evicted

  /** The most rows that were in the window at once. */
  def peak: Long = most

  /** A row by its number. */
  def row(number: Long): StreamTuple =
    columns.rowAt(columns.slot((number - evicted).toInt)).asInstanceOf[StreamTuple]

  /** Expires what `t` of the opposite stream, and so every tuple after it, cannot pair with, and
    * returns the number behind the last row that it can: with [[first]], its reach.
    */
  def reach(t: StreamTuple): Long = {
    expire(bounds.earliestFor(t))
    if (bounds.isOutOfTime(t)) first
    else math.max(first, evicted + columns.countUpTo(bounds.latestFor(t)))
  }

  /** Slides over `t` of this stream, and keeps it if a pair can need it. */
  def take(t: StreamTuple): Unit = {
    if (bounds.canBeEarlier) append(t)
    expire(bounds.earliestAfter(t, tuples))
    tuples += 1
  }

  /** Expires what no tuple of the opposite stream at `ts` or later can pair with, and lets go of it.
    */
  def pass(ts: Long): Unit = {
    expire(bounds.earliestAt(ts))
    drop()
  }

  /** Lets go of what has left the window. */
  def drop(): Unit = {
    columns.expireBefore(windowValue)
    evicted = head
  }

  private[this] def append(t: StreamTuple): Unit = {
    if (tuples - head >= maxRows) throw new WindowLimitException((tuples - head).toInt, maxRows)
    columns.append(bounds.windowValue(t, tuples), t.attrs, t)
    most = math.max(most, tuples + 1 - head)
  }

  private[this] def expire(earliest: Long): Unit = if (earliest > windowValue) {
    windowValue = earliest
    head = math.max(head, evicted + columns.countUpTo(earliest - 1))
  }
}
