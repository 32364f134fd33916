package io.scalegate.index

/** The in-memory merge tree (IM-Tree, PIM-Tree §3.2): new tuples go to a B+-tree, `T_I`, which is
  * merged from time to time into an immutable B+-tree, `T_S`. A merge drops what has expired;
  * until then it is filtered from the answers. One thread at a time.
  */
final class ImTree(val policy: MergePolicy) extends SlidingIndex {
  private[this] val ti = new BPlusTree
  private[this] var ts = ImmutableBPlusTree.empty
  private[this] var threshold = policy.threshold(0)
  private[this] var earliest = Long.MinValue
  private[this] var merged = 0L

  // A merge reads these two and writes the third; the run that leaves T_S is the next to write.
  private[this] val fresh = new SortedRun
  private[this] var spare = new SortedRun

  def name: String = s"IM-Tree($policy)"

  /** Merges so far. */
  override def merges: Long = merged

  def insert(key: Long, value: Int, position: Long): Unit = {
    ti.insert(key, value, position)
    if (ti.size >= threshold) merge()
  }

  def search(query: RangeQuery, out: PositionBuffer): Unit = {
    val from = math.max(query.first, earliest)
    ts.search(query, from, out)
    ti.search(query, from, out)
  }

  def expireBefore(earliest: Long): Unit =
    if (earliest > this.earliest) this.earliest = earliest

  def size: Int = ts.size + ti.size

  def memoryBytes: Long = ti.bytes + ts.bytes + fresh.bytes + spare.bytes

  def clear(): Unit = {
    ti.reset()
    ts = ImmutableBPlusTree.empty
    threshold = policy.threshold(0)
    earliest = Long.MinValue
  }

  private[this] def merge(): Unit = {
    fresh.clear()
    fresh.append(ti)
    spare.merge(ts.leaves, fresh, earliest)
    val old = ts.leaves
    ts = new ImmutableBPlusTree(spare)
    spare = old
    ti.reset()
    threshold = policy.threshold(ts.size)
    merged += 1
  }
}
