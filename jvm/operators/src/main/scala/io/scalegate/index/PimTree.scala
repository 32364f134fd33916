package io.scalegate.index

/** The partitioned in-memory merge tree (PIM-Tree §3.3) for one thread. New tuples go to one of
  * many small B+-trees, the subindexes: one for each node of `T_S` at the insertion depth, for
  * that node's range of keys. `T_I`, the subindexes together, is merged from time to time into
  * `T_S`, an immutable B+-tree; the merge drops what has expired and spreads the subindexes'
  * ranges anew. Until then what has expired is filtered from the answers.
  *
  * [[ConcurrentPimTree]] is the form for many threads; this one takes no locks.
  *
  * @param insertionDepth
  *   `D_I`, at least 0; the root of `T_S` has depth 0. Where `T_S` has fewer levels of inner nodes
  *   the lowest counts. The deeper, the more and the smaller the subindexes.
  */
final class PimTree(val policy: MergePolicy, val insertionDepth: Int = PimTree.DefaultDepth)
    extends SlidingIndex {
  PimTree.requireDepth(insertionDepth)

  private[this] var ts = ImmutableBPlusTree.empty
  private[this] var depth = 0
  private[this] val leaves = new Leaves // of all subindexes, so that they lie close together
  private[this] val inner = new InnerNodes
  private[this] var subindexes = Array(new BPlusTree(leaves, inner))
  private[this] var inserted = 0
  private[this] var threshold = policy.threshold(0)
  private[this] var earliest = Long.MinValue
  private[this] var merged = 0L

  // A merge reads these two and writes the third; the run that leaves T_S is the next to write.
  private[this] val fresh = new SortedRun
  private[this] var spare = new SortedRun

  def name: String = s"PIM-Tree($policy, D=$insertionDepth)"

  /** Merges so far. */
  override def merges: Long = merged

  /** The subindexes that insertions may go to, until the next merge. */
  def partitions: Int = ts.nodesAt(depth)

  def insert(key: Long, value: Int, position: Long): Unit = {
    subindexes(ts.node(depth, key)).insert(key, value, position)
    inserted += 1
    if (inserted >= threshold) merge()
  }

  def search(query: RangeQuery, out: PositionBuffer): Unit =
    if (query.lo <= query.hi) {
      val from = math.max(query.first, earliest)
      var node = ts.node(depth, query.lo)
      ts.searchBelow(depth, node, query, from, out)
      subindexes(node).search(query, from, out)
      while (node + 1 < partitions && ts.lastKey(depth, node) < query.hi) {
        node += 1
        subindexes(node).search(query, from, out)
      }
    }

  def expireBefore(earliest: Long): Unit =
    if (earliest > this.earliest) this.earliest = earliest

  def size: Int = ts.size + inserted

  def memoryBytes: Long =
    ts.bytes + fresh.bytes + spare.bytes + leaves.bytes + inner.bytes + subindexes.length * 32L

  def clear(): Unit = {
    forgetInserted()
    use(ImmutableBPlusTree.empty)
    earliest = Long.MinValue
  }

  private[this] def merge(): Unit = {
    fresh.clear()
    var i = 0
    while (i < partitions) {
      fresh.append(subindexes(i))
      i += 1
    }
    forgetInserted()
    spare.merge(ts.leaves, fresh, earliest)
    val old = ts.leaves
    use(new ImmutableBPlusTree(spare))
    spare = old
    merged += 1
  }

  private[this] def use(tree: ImmutableBPlusTree): Unit = {
    ts = tree
    depth = PimTree.depthIn(tree, insertionDepth)
    threshold = policy.threshold(tree.size)
    val before = subindexes
    if (before.length < partitions)
      subindexes = Array.tabulate(partitions)(i =>
        if (i < before.length) before(i) else new BPlusTree(leaves, inner)
      )
  }

  private[this] def forgetInserted(): Unit = {
    subindexes.foreach(_.forget())
    leaves.reset()
    inner.reset()
    inserted = 0
  }
}

object PimTree {

  /** With nodes of 16 keys, 256 subindexes at most. */
  val DefaultDepth = 2

  private[index] def requireDepth(depth: Int): Unit =
    if (depth < 0)
      throw new IllegalArgumentException(
        s"the insertion depth is $depth; give 0, for one subindex, or a depth below the root of T_S"
      )

  /** The lowest depth of inner nodes, at most `wanted`. */
  private[index] def depthIn(tree: ImmutableBPlusTree, wanted: Int): Int =
    math.max(0, math.min(wanted, tree.height - 1))
}
