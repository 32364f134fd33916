package io.scalegate.spark.join.stream.task

import io.scalegate.spark.join.stream.state.RowBatch
import io.scalegate.stream.Side

/** The order in which a batch's rows probe. Nothing of it changes; any thread. */
sealed private[scalegate] trait ProbeOrder {

  /** How many rows probe. */
  def size: Int

  /** Whose row is at this position. */
  def side(position: Int): Side

  /** The number of that row among its side's new rows, in the order of times. */
  def number(position: Int): Int

  /** How many rows of the other side have had their turn before the new row of this number. */
  def others(side: Side, number: Int): Int

  /** Whether this side's rows probe the batch's own, or only those held. */
  def amongNew(side: Side): Boolean
}

/** The right rows probe all left ones, then the left rows probe the right ones that are held: each pair is found once.
  */
final private[scalegate] class ArrivalOrder(left: Int, right: Int) extends ProbeOrder {
  def size: Int = left + right
  def side(position: Int): Side = if (position < right) Side.S else Side.R
  def number(position: Int): Int = if (position < right) position else position - right
  def others(side: Side, number: Int): Int = if (side eq Side.S) 0 else right
  def amongNew(side: Side): Boolean = side eq Side.S
}

/** Each row in turn probes those before it: rows are ordered by their times, those of equal times by side, left first.
  */
final private[scalegate] class EventTimeOrder(left: RowBatch, right: RowBatch)
    extends ProbeOrder {
  // The numbers of left rows, and the complements of those of right ones.
  private[this] val numbers = new Array[Int](left.size + right.size)

  /** Of each left row, how many right ones come before it; and the other way round. */
  private[this] val beforeLeft = new Array[Int](left.size)
  private[this] val beforeRight = new Array[Int](right.size)
  merge()

  private[this] def merge(): Unit = {
    var (l, r) = (0, 0)
    while (l + r < numbers.length) {
      val isLeft =
        r == right.size || (l < left.size && left.timeOf(l) <= right.timeOf(r))
      if (isLeft) {
        numbers(l + r) = l
        beforeLeft(l) = r
        l += 1
      } else {
        numbers(l + r) = ~r
        beforeRight(r) = l
        r += 1
      }
    }
  }

  def size: Int = numbers.length
  def side(position: Int): Side = if (numbers(position) >= 0) Side.R else Side.S
  def number(position: Int): Int = math.max(numbers(position), ~numbers(position))
  def amongNew(side: Side): Boolean = true

  def others(side: Side, number: Int): Int =
    if (side eq Side.R) beforeLeft(number) else beforeRight(number)

  def position(side: Side, number: Int): Int = number + others(side, number)

  /** The position of the first row whose time is above this. */
  def positionAfter(time: Long): Int = left.firstAfter(time) + right.firstAfter(time)
}
