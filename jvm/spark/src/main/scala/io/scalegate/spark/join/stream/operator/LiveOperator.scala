package io.scalegate.spark.join.stream.operator

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.join.{RunningTypedJoin, TypedResult}
import io.scalegate.spark.join.operator.{DealtSources, TimedReader}
import io.scalegate.spark.join.stream.state.RowBatch
import io.scalegate.spark.join.stream.task.EventTimeOrder
import io.scalegate.stream.{SaturatingMath, Side, Sides, StreamTuple}

/** A join of two inputs under way in a task, which is given the rows of both sides. */
final private[operator] class LiveOperator(
    join: RunningTypedJoin,
    readers: Sides[TimedReader],
    waiting: () => Unit
) extends LiveRun[TypedResult](join, waiting) {
  private[this] val left = new Feed(Side.R)
  private[this] val right = new Feed(Side.S)
  private[this] var order: EventTimeOrder = _
  private[this] var position = 0

  protected def compared: Long = join.metrics.comparisons

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
    beginUpTo(upTo)
  }

  protected def hasRows: Boolean = position < order.size

  protected def promise(end: Long): Unit = {
    left.source.advance(end)
    right.source.advance(end)
  }

  protected def give(): Boolean = {
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
