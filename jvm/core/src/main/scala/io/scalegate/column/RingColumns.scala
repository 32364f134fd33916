package io.scalegate.column

/** A window's rows as a probe sees them: columns used as rings, in which the rows lie from the
  * oldest on in consecutive slots, the first slot after the last.
  */
private[scalegate] trait RingColumns {

  /** The number of attributes. */
  def width: Int

  /** The number of slots, a power of two. */
  def capacity: Int

  /** The slot of the oldest row. */
  def head: Int

  /** The slot of the i-th oldest row. */
  def slot(i: Int): Int

  /** The i-th attribute's column, by slot; null when it is a `Long` column. */
  private[scalegate] def ints(i: Int): Array[Int]

  /** The i-th attribute's column, by slot; null when it is an `Int` column. */
  private[scalegate] def longs(i: Int): Array[Long]

  def rowAt(slot: Int): AnyRef
}
