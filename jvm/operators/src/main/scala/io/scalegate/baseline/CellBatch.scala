package io.scalegate.baseline

import io.scalegate.stream.StreamTuple

/** The tuples that a [[CellJoin]] partitions windows for at a time, and how far each reaches into
  * the opposite window. Written by the coordinator while no other thread reads.
  */
final private[baseline] class CellBatch(capacity: Int) {
  private[this] val tuples = new Array[StreamTuple](capacity)
  private[this] val starts = new Array[Long](capacity)
  private[this] val ends = new Array[Long](capacity)
  private[this] var count = 0
  private[this] var kept = 0L

  def size: Int = count

  /** Tuples that entered a window, of all batches. */
  def stored: Long = kept

  def tuple(i: Int): StreamTuple = tuples(i)

  def first(i: Int): Long = starts(i)

  def until(i: Int): Long = ends(i)

  def clear(): Unit = {
    java.util.Arrays.fill(tuples.asInstanceOf[Array[AnyRef]], 0, count, null)
    count = 0
  }

  def add(t: StreamTuple, opposite: NumberedWindow, own: NumberedWindow): Unit = {
    val end = opposite.reach(t)
    val rows = own.columns.size
    tuples(count) = t
    starts(count) = opposite.first
    ends(count) = end
    count += 1
    own.take(t)
    kept += own.columns.size - rows
  }
}
