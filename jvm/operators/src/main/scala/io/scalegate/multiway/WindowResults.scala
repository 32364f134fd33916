package io.scalegate.multiway

/** The results of the windows of one time interval, for all keys that have tuples in it: a winset
  * (multiway aggregation, §2).
  *
  * @param start
  *   the windows' first time
  * @param end
  *   their last time
  */
final class WindowResults[K, R] private[scalegate] (
    val start: Long,
    val end: Long,
    keys: Array[AnyRef],
    values: Array[AnyRef]
) {
  def size: Int = keys.length
  def key(i: Int): K = keys(i).asInstanceOf[K]
  def value(i: Int): R = values(i).asInstanceOf[R]

  def toVector: Vector[(K, R)] = Vector.tabulate(size)(i => (key(i), value(i)))

  override def toString: String = s"[$start, $end]: ${toVector.mkString(", ")}"
}
