package io.scalegate.column

import io.scalegate.band.AttributeType
import io.scalegate.stream.StreamTuple

/** The rows of a window that several threads read, as columns: the row at position p lies in slot `p
  * mod capacity` (DP-Join §III-D1). One thread writes, any number read rows that were written before
  * they learnt of their positions. It does not grow: a larger copy takes its place, and who still
  * reads this one finds there what was in it.
  *
  * @param capacity
  *   a power of two
  * @param hasOrdinals
  *   whether each row has its tuple's number among those of all streams
  */
final private[scalegate] class SharedRows(
    val capacity: Int,
    attributes: IndexedSeq[AttributeType],
    hasOrdinals: Boolean
) {
  private[this] val mask = capacity - 1L
  private[this] val ordinals = new Array[Long](if (hasOrdinals) capacity else 0)
  private[this] val values = new Array[Long](capacity)
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
  def windowValue(slot: Int): Long = values(slot)

  def tuple(slot: Int): StreamTuple = tuples(slot)

  def ints(i: Int): Array[Int] = intColumns(i)

  def longs(i: Int): Array[Long] = longColumns(i)

  /** Whether each attribute lies in its range: `ranges` holds two inclusive bounds for each. */
  def accepts(slot: Int, ranges: Array[Long]): Boolean = {
    var i = 0
    while (i < intColumns.length) {
      val ints = intColumns(i)
      val v = if (ints != null) ints(slot).toLong else longColumns(i)(slot)
      if (v < ranges(2 * i) || v > ranges(2 * i + 1)) return false
      i += 1
    }
    true
  }

  /** @param ordinal
    *   left out where there are none
    */
  def put(position: Long, ordinal: Long, value: Long, t: StreamTuple): Unit = {
    val at = slot(position)
    if (hasOrdinals) ordinals(at) = ordinal
    values(at) = value
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
  def grown(from: Long, until: Long): SharedRows = {
    val to = new SharedRows(capacity * 2, attributes, hasOrdinals)
    var p = from
    while (p < until) {
      val at = slot(p)
      to.put(p, if (hasOrdinals) ordinals(at) else 0L, values(at), tuples(at))
      p += 1
    }
    to
  }
}
