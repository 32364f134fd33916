package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.join.batch.{GroupKey, KeyedSide}

/** Each left row with aggregates of the right rows in the interval around its time, valid until the next is asked for.
  * Both sides come in the order of keys and times. One thread, the task's; it holds a window for
  * each interval.
  *
  * @param left
  *   with rows that have a NULL in the key
  * @param right
  *   without them
  * @param key
  *   holds the key of the windows
  * @param shared
  *   gives the right rows to several windows
  */
final private[aggregate] class IntervalAggregateIterator(
    left: KeyedSide,
    right: KeyedSide,
    results: IntervalResults,
    key: GroupKey,
    shared: Option[RightRows => SharedRightRows]
) extends Iterator[InternalRow] {
  private[this] var hasKey = false
  private[this] var isReady = false
  private[this] var rowCount = 0L
  private[this] val ofRight = new OfRight
  private[this] val sharing = shared.map(_(ofRight))
  private[this] val ofWindow: Int => RightRows = sharing.getOrElse(_ => ofRight)

  /** Rows so far. */
  def count: Long = rowCount

  /** Blocks of right rows that were written to disk so far. */
  def spilled: Long = results.spilled + sharing.fold(0L)(_.spilled)

  override def hasNext: Boolean = {
    if (!isReady) isReady = left.advance()
    isReady
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    isReady = false
    rowCount += 1
    if (left.hasKey && left.read()) {
      if (!hasKey || key.compare(left.key) != 0) beginKey()
      results.of(left.row, left.reader.keys(0), ofWindow)
    } else results.ofNone(left.row)
  }

  private[this] def beginKey(): Unit = {
    results.beginKey()
    sharing.foreach(_.beginKey())
    key.keep(left.key)
    hasKey = true
    ofRight.beginKey()
  }

  /** The right rows of the windows' key that were not yet in a window. */
  final private class OfRight extends RightRows {
    private[this] var hasRow = false // of any key
    private[this] var isOfKey = false
    private[this] var rowTime = 0L

    advance()

    override def isPresent: Boolean = isOfKey
    override def time: Long = rowTime
    override def row: UnsafeRow = right.row

    /** Goes on to the next right row that has a time. */
    override def advance(): Unit = {
      do hasRow = right.advance() while (hasRow && !right.read())
      if (hasRow) rowTime = right.reader.keys(0)
      isOfKey = hasRow && hasKey && right.key.compare(key) == 0
    }

    def beginKey(): Unit = {
      var order = compared()
      while (hasRow && order < 0) {
        advance()
        order = compared()
      }
      isOfKey = hasRow && order == 0
    }

    private[this] def compared(): Int = if (hasRow) right.key.compare(key) else 1
  }
}
