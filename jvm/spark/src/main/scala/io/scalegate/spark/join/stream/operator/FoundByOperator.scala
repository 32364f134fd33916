package io.scalegate.spark.join.stream.operator

import io.scalegate.spark.join.stream.task.{BatchSide, EventTimeOrder, FoundPairs}
import io.scalegate.stream.{Side, Sides, StreamTuple}

/** The pairs that an operator of the papers finds over a window of rows, by where their rows lie: a tuple's sequence number
  * is its row's position. One thread, the task's.
  *
  * @param operator
  *   which has begun with the rows of the batch; null where there are none
  * @param joined
  *   rows of each side before those of the batch
  * @param order
  *   of the batch's rows, as the operator is given them
  */
final private[operator] class FoundByOperator(
    operator: LiveOperator,
    sides: Sides[BatchSide],
    joined: Sides[Long],
    order: EventTimeOrder
) extends FoundPairs {
  private[this] var at = -1
  private[this] var theirRun = -1
  private[this] var theirNumber = -1

  def position: Int = at
  def run: Int = theirRun
  def number: Int = theirNumber

  def comparisons: Long = if (operator == null) 0L else operator.comparisons

  def advance(): Boolean = {
    val pair = if (operator == null) null else operator.next()
    if (pair != null) {
      // Of equal times the left row comes first.
      if (pair.r.ts > pair.s.ts) turnTo(pair.r, Side.R, pair.s)
      else turnTo(pair.s, Side.S, pair.r)
    }
    pair != null
  }

  /** The operator goes on: the end of the task closes it. */
  def close(): Unit = ()

  private[this] def turnTo(probe: StreamTuple, side: Side, found: StreamTuple): Unit = {
    val searched = sides(side.opposite)
    at = order.position(side, (probe.seq - joined(side) - 1).toInt)
    theirRun = searched.runAt(found.seq)
    theirNumber = searched.numberAt(theirRun, found.seq)
  }
}
