package io.scalegate.spark.join.stream.operator

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.join.{RunningTypedJoin, TypedResult}
import io.scalegate.spark.join.operator.{DealtSources, TimedReader}
import io.scalegate.spark.join.stream.state.RowBatch
import io.scalegate.spark.join.stream.task.EventTimeOrder
import io.scalegate.stream.{IdleStrategy, SaturatingMath, Side, Sides, StreamTuple}

/** An operator of the papers within a task of a streaming join. It is given the rows of both sides in the order of their
  * times, some at a time, and up to which time these are all: what it gives then is all that it gives up to that time.
  *
  * One thread, the task's, beside the operator's own, which run from when it is made until [[close]]. Memory order is
  * that of the running join.
  *
  * @param waiting
  *   called now and then while the operator's threads have nothing yet; may throw
  */
final private[operator] class LiveOperator(
    join: RunningTypedJoin,
    readers: Sides[TimedReader],
    waiting: () => Unit
) extends AutoCloseable {
  private[this] val left = new Feed(Side.R)
  private[this] val right = new Feed(Side.S)
  private[this] val idle = new IdleStrategy.Backoff()
  private[this] var order: EventTimeOrder = _
  private[this] var position = 0
  private[this] var end = Long.MinValue // no result of the rows given lies at or above it
  private[this] var promised = true
  private[this] var comparedBefore = 0L

  /** Pairs of rows that its threads have compared since it was last given rows. */
  def comparisons: Long = join.metrics.comparisons - comparedBefore

  /** Takes more rows: all that there are after those before and up to a time. [[next]] must have given null. The sequence
    * numbers of their tuples go on from `before`, the numbers of rows that came before them.
    */
  def begin(
      rows: Sides[RowBatch],
      before: Sides[Long],
      inOrder: EventTimeOrder,
      upTo: Long
  ): Unit = {
    order = inOrder
    position = 0
    left.begin(rows.left, before.left)
    right.begin(rows.right, before.right)
    end = SaturatingMath.add(upTo, 1)
    promised = false
    comparedBefore = join.metrics.comparisons
  }

  /** The next result of these rows, or of those before that are decided by this time; null when there is none any more. */
  def next(): TypedResult = {
    var result = join.poll()
    while (result == null && (feed() || !isThrough)) result = join.poll()
    if (result != null) idle.reset()
    result
  }

  def close(): Unit = join.close()

  /** Waits a little where it is not. */
  private[this] def isThrough = join.frontier >= end || {
    idle.idle()
    waiting()
    false
  }

  /** Gives the operator rows until it takes no more of them, and what is promised when they are all; false if it took
    * nothing.
    */
  private[this] def feed(): Boolean = {
    var count = 0
    while (count < LiveOperator.Burst && position < order.size && take()) count += 1
    if (position == order.size && !promised) {
      left.source.advance(end)
      right.source.advance(end)
      promised = true
      count += 1
    }
    if (count > 0) idle.reset()
    count > 0
  }

  private[this] def take(): Boolean = {
    val isLeft = order.side(position) eq Side.R
    val (from, other) = if (isLeft) (left, right) else (right, left)
    val tuple = from.tuple(order.number(position))
    val taken = from.source.tryAdd(tuple)
    if (taken) {
      from.taken()
      position += 1
    } else {
      // Of rows with one time the left ones come first.
      val promised = if (isLeft) tuple.ts else SaturatingMath.add(tuple.ts, 1)
      other.source.advance(promised)
    }
    taken
  }

  /** The rows of one side on their way. */
  final private[this] class Feed(side: Side) {
    private[this] val reader = readers(side)
    private[this] var rows: RowBatch = _
    private[this] var before = 0L // rows that came before these
    private[this] var current: StreamTuple = _ // that was not taken yet
    val source: DealtSources = DealtSources(join, side)

    def begin(rows: RowBatch, before: Long): Unit = {
      this.rows = rows
      this.before = before
    }

    def tuple(number: Int): StreamTuple = {
      if (current == null) current = made(rows.stored.row(number), number)
      current
    }

    def taken(): Unit = current = null

    private[this] def made(row: UnsafeRow, number: Int) = {
      val attrs = new Array[Long](reader.width)
      reader.read(row, attrs)
      val time = rows.timeOf(number)
      new StreamTuple(time, source.next(time), before + number + 1, side, attrs, row)
    }
  }
}

private object LiveOperator {

  /** Rows that are given to the operator before its results are looked at again. */
  val Burst = 256
}
