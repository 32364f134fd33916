package io.scalegate.index

/** One B+-tree over the whole window, from which expired tuples are removed one by one: the
  * baseline of PIM-Tree (§2.2.1). One thread at a time.
  */
final class BPlusTreeIndex extends SlidingIndex {
  private[this] val tree = new BPlusTree
  private[this] val arrivals = new Arrivals
  private[this] var earliest = Long.MinValue

  def name: String = "B+-tree"

  def insert(key: Long, value: Int, position: Long): Unit =
    if (position >= earliest) {
      arrivals.add(key, position)
      tree.insert(key, value, position)
    }

  def search(query: RangeQuery, out: PositionBuffer): Unit =
    tree.search(query, query.first, out)

  def expireBefore(earliest: Long): Unit =
    if (earliest > this.earliest) {
      this.earliest = earliest
      while (arrivals.hasExpired(earliest)) {
        tree.removeFirst(arrivals.removeFirst())
        ()
      }
    }

  def size: Int = tree.size

  def memoryBytes: Long = tree.bytes + arrivals.bytes

  def clear(): Unit = {
    tree.reset()
    arrivals.clear()
    earliest = Long.MinValue
  }
}
