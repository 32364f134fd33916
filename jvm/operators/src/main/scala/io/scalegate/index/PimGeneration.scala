package io.scalegate.index

import java.util.concurrent.atomic.AtomicInteger

/** A [[ConcurrentPimTree]] between two merges: `T_S`, and the subindexes that its nodes at the
  * insertion depth define. Any thread.
  *
  * @param before
  *   the generation that this one replaces, whose subindexes may hold what was inserted while
  *   `ts` was built; null for the first
  * @param threshold
  *   the insertions after which a merge is due
  */
final private[index] class PimGeneration(
    val ts: ImmutableBPlusTree,
    insertionDepth: Int,
    counter: AtomicInteger,
    val threshold: Int,
    before: PimGeneration
) {
  private[this] val depth = PimTree.depthIn(ts, insertionDepth)
  private[this] val subindexes = {
    val n = ts.nodesAt(depth)
    val grain = math.max(1, threshold / (8 * n)) // the counter is at most an eighth behind
    Array.fill(n)(new Subindex(counter, grain))
  }
  @volatile private[this] var previous = before

  def partitions: Int = subindexes.length

  def subindex(key: Long): Subindex = subindexes(ts.node(depth, key))

  /** False when a later generation has taken over the key. */
  def tryInsert(key: Long, value: Int, position: Long): Boolean = {
    settle(key, key)
    subindex(key).tryInsert(key, value, position)
  }

  /** The range of keys is not empty.
    *
    * @param first
    *   in the place of the query's
    */
  def search(query: RangeQuery, first: Long, out: PositionBuffer): Unit = {
    settle(query.lo, query.hi)
    var node = ts.node(depth, query.lo)
    ts.searchBelow(depth, node, query, first, out)
    subindexes(node).search(query, first, out)
    while (goesOn(node, query.hi)) {
      node += 1
      subindexes(node).search(query, first, out)
    }
  }

  /** Freezes every subindex and fills the run with what they held. For the merging thread.
    *
    * @param rest
    *   called after each
    */
  def freezeInto(run: SortedRun, rest: () => Unit): Unit = {
    run.clear()
    subindexes.foreach { s =>
      run.append(s.freeze())
      rest()
    }
  }

  /** Takes over all that the previous generation's subindexes hold, and forgets it. */
  def settle(): Unit = {
    settle(Long.MinValue, Long.MaxValue)
    previous = null
  }

  /** What each subindex holds, in the order of their keys. */
  def sizes: IndexedSeq[Int] = subindexes.map(_.size).toIndexedSeq

  def size: Int = subindexes.foldLeft(ts.size)(_ + _.size)

  def bytes: Long = subindexes.foldLeft(ts.bytes)(_ + _.bytes)

  /** Takes over what the previous generation's subindexes for the keys in `[lo, hi]` hold. */
  private[this] def settle(lo: Long, hi: Long): Unit = {
    val p = previous
    if (p != null) p.leaveFor(this, lo, hi)
  }

  private def leaveFor(next: PimGeneration, lo: Long, hi: Long): Unit = {
    var node = ts.node(depth, lo)
    subindexes(node).leaveFor(next)
    while (goesOn(node, hi)) {
      node += 1
      subindexes(node).leaveFor(next)
    }
  }

  /** Whether subindexes behind the node's may hold keys up to `hi`. */
  private[this] def goesOn(node: Int, hi: Long): Boolean =
    node + 1 < subindexes.length && ts.lastKey(depth, node) < hi
}
