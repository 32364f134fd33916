package io.scalegate.join

import io.scalegate.stream.StreamTuple

/** The rows of a stream's window by position, as columns: the row at position p lies in slot `p
  * mod capacity`. One thread writes, any number read rows that were written before they learnt of
  * their positions. It does not grow: a larger copy takes its place, and who still reads this one
  * finds there what was in it.
  *
  * @param capacity
  *   a power of two
  */
final private[join] class IndexJoinRows(val capacity: Int, bands: Int) {
  private[this] val mask = capacity - 1L
  private[this] val places = new Array[Long](capacity)
  private[this] val tuples = new Array[StreamTuple](capacity)
  private[this] val columns = Array.fill(bands)(new Array[Long](capacity))

  def place(position: Long): Long = places(slot(position))

  def tuple(position: Long): StreamTuple = tuples(slot(position))

  /** Whether each attribute lies in its range: `ranges` holds two inclusive bounds for each. */
  def accepts(position: Long, ranges: Array[Long]): Boolean = {
    val at = slot(position)
    var i = 0
    while (i < bands) {
      val v = columns(i)(at)
      if (v < ranges(2 * i) || v > ranges(2 * i + 1)) return false
      i += 1
    }
    true
  }

  def put(position: Long, place: Long, t: StreamTuple): Unit = {
    val at = slot(position)
    places(at) = place
    tuples(at) = t
    var i = 0
    while (i < bands) {
      columns(i)(at) = t.attrs(i)
      i += 1
    }
  }

  /** Lets go of a payload. */
  def remove(position: Long): Unit = tuples(slot(position)) = null

  /** Twice as large, with the rows at positions from `from` up to, and without, `until`. */
  def grown(from: Long, until: Long): IndexJoinRows = {
    val to = new IndexJoinRows(capacity * 2, bands)
    var p = from
    while (p < until) {
      to.put(p, place(p), tuple(p))
      p += 1
    }
    to
  }

  private[this] def slot(position: Long): Int = (position & mask).toInt
}
