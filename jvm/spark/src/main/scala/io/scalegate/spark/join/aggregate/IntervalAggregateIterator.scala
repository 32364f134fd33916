package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.band.IntegralBand
import io.scalegate.spark.join.batch.{GroupKey, KeyedSide}
import io.scalegate.stream.Side

/** Each left row with aggregates of the right rows in the interval around its time, valid until the next is asked for.
  * Both sides come in the order of keys and times. One thread, the task's; it holds one window.
  *
  * @param left
  *   with rows that have a NULL in the key
  * @param right
  *   without them
  * @param key
  *   holds the key of the window
  */
final private[aggregate] class IntervalAggregateIterator(
    left: KeyedSide,
    right: KeyedSide,
    band: IntegralBand,
    window: HeldWindow,
    states: RightRowStates,
    key: GroupKey
) extends Iterator[InternalRow] {
  private[this] var hasKey = false
  private[this] var isReady = false
  private[this] var rowCount = 0L

  // Of the right row that was not yet in a window:
  private[this] var isPresent = false // whether there is one,
  private[this] var isOfKey = false // it has the window's key,
  private[this] var time = 0L // and this time

  advanceRight()

  /** Rows so far. */
  def count: Long = rowCount

  override def hasNext: Boolean = {
    if (!isReady) isReady = left.advance()
    isReady
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    isReady = false
    rowCount += 1
    if (left.hasKey && left.read()) result(left.reader.keys(0)) else states.result(left.row)
  }

  private[this] def result(leftTime: Long): UnsafeRow = {
    if (!hasKey || key.compare(left.key) != 0) beginKey()
    val (least, greatest) = (band.least(Side.R, leftTime), band.greatest(Side.R, leftTime))
    if (least > greatest) states.result(left.row) // beyond the range of the type, on either end
    else {
      slide(least, greatest)
      if (window.rows.isEmpty) states.result(left.row)
      else states.result(left.row, window.rows.older, window.rows.newer)
    }
  }

  private[this] def slide(least: Long, greatest: Long): Unit = {
    while (isOfKey && time <= greatest) {
      if (time >= least) window.push(right.row) else window.pushBefore(right.row)
      advanceRight()
    }
    window.evictBefore(least)
  }

  private[this] def beginKey(): Unit = {
    window.clear()
    key.keep(left.key)
    hasKey = true
    var order = compareRight()
    while (isPresent && order < 0) {
      advanceRight()
      order = compareRight()
    }
    isOfKey = isPresent && order == 0
  }

  private[this] def compareRight(): Int = if (isPresent) right.key.compare(key) else 1

  /** Goes on to the next right row that has a time. */
  private[this] def advanceRight(): Unit = {
    do isPresent = right.advance() while (isPresent && !right.read())
    if (isPresent) time = right.reader.keys(0)
    isOfKey = isPresent && hasKey && right.key.compare(key) == 0
  }
}
