package io.scalegate.band

/** A few distinct cell ids. */
final class CellBuffer {
  private[this] var ids = new Array[Long](8)
  private[this] var count = 0

  def size: Int = count
  def apply(i: Int): Long = ids(i)

  def clear(): Unit = count = 0

  /** Leaves one id, or none. */
  def setOnly(id: Option[Long]): Unit = {
    clear()
    id.foreach(add)
  }

  /** Two different cells may share an id; a row must still enter that id's group once. */
  private[scalegate] def add(id: Long): Unit = {
    var i = 0
    while (i < count && ids(i) != id) i += 1
    if (i == count) {
      if (count == ids.length) ids = java.util.Arrays.copyOf(ids, 2 * count)
      ids(count) = id
      count += 1
    }
  }
}
