package io.scalegate.join.matrix

import io.scalegate.join.AttributeType
import io.scalegate.stream.StreamTuple

/** The rows of a segment as columns (DP-Join §III-D1): the row at position p lies in slot `p mod
  * capacity`. One thread writes, any number read rows that were written before they learnt of
  * them. It does not grow: a larger copy takes its place, and who still reads this one finds there
  * what was in it.
  *
  * @param capacity
  *   a power of two
  */
final private[matrix] class SegmentRows(
    val capacity: Int,
    attributes: IndexedSeq[AttributeType]
) {
  private[this] val mask = capacity - 1L
  private[this] val ordinals = new Array[Long](capacity)
  private[this] val places = new Array[Long](capacity)
  private[this] val tuples = new Array[StreamTuple](capacity)
  private[this] val intColumns = new Array[Array[Int]](attributes.length)
  private[this] val longColumns = new Array[Array[Long]](attributes.length)

  for (i <- attributes.indices)
    if (attributes(i).bits == 32) intColumns(i) = new Array[Int](capacity)
    else longColumns(i) = new Array[Long](capacity)

  def slot(position: Long): Int = (position & mask).toInt

  /** The tuple's number among those of all streams, in their total order. */
  def ordinal(slot: Int): Long = ordinals(slot)

  /** What the window slides over: the tuple's time or its number in the stream. */
  def place(slot: Int): Long = places(slot)

  def tuple(slot: Int): StreamTuple = tuples(slot)

  def ints(i: Int): Array[Int] = intColumns(i)

  def longs(i: Int): Array[Long] = longColumns(i)

  def put(position: Long, ordinal: Long, place: Long, t: StreamTuple): Unit = {
    val at = slot(position)
    ordinals(at) = ordinal
    places(at) = place
    tuples(at) = t
    var i = 0
    while (i < intColumns.length) {
      val ints = intColumns(i)
      if (ints != null) ints(at) = t.attrs(i).toInt else longColumns(i)(at) = t.attrs(i)
      i += 1
    }
  }

  /** Lets go of a payload. */
  def remove(position: Long): Unit = tuples(slot(position)) = null

  /** Twice as large, with the rows at positions from `from` up to, and without, `until`. */
  def grown(from: Long, until: Long): SegmentRows = {
    val to = new SegmentRows(capacity * 2, attributes)
    var p = from
    while (p < until) {
      val at = slot(p)
      to.put(p, ordinals(at), places(at), tuples(at))
      p += 1
    }
    to
  }
}
