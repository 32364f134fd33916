package io.scalegate.index

import java.util.ArrayDeque

import io.scalegate.index.ChainedIndex.Link

/** The chained index (PIM-Tree §2.2.2): the window in stretches of `w / (L − 1)` tuples in the
  * order of their arrival, each with an index of its own. New tuples go to the active subindex, a
  * B+-tree; a full one is archived. A subindex is dropped when all its tuples have expired; until
  * then those that have are filtered from the answers. A search goes through the whole chain.
  * One thread at a time.
  *
  * @param window
  *   `w`, the tuples that the window is expected to hold. Where it holds more the chain is longer.
  * @param length
  *   `L`, the subindexes of the chain, the active one included; at least 2
  * @param archiveImmutable
  *   whether an archived subindex becomes an immutable B+-tree (IB-chain, §5.1) or stays as it is
  *   (B-chain)
  */
final class ChainedIndex(val window: Int, val length: Int, val archiveImmutable: Boolean)
    extends SlidingIndex {
  if (window < 1)
    throw new IllegalArgumentException(
      s"the window of a chained index is $window tuples; give the number of tuples that it is " +
        "expected to hold, at least 1"
    )
  if (length < 2)
    throw new IllegalArgumentException(
      s"the length of a chained index is $length; give at least 2, one active subindex and one " +
        "archived"
    )

  private[this] val stretch = math.max(1, (window - 1) / (length - 1) + 1)
  private[this] val archive = new ArrayDeque[Link]
  private[this] var archived = Array.empty[Link] // the same, for searches
  private[this] var active = new BPlusTree
  private[this] var latest = Long.MinValue
  private[this] var earliest = Long.MinValue
  private[this] var entries = 0

  // Memory of subindexes that left, for the next ones.
  private[this] var spareTree: BPlusTree = _
  private[this] var spareRun: SortedRun = _

  def name: String = s"${if (archiveImmutable) "IB" else "B"}-chain(L=$length)"

  /** The subindexes that a search goes through. */
  def subindexes: Int = archived.length + 1

  def insert(key: Long, value: Int, position: Long): Unit = {
    active.insert(key, value, position)
    latest = position
    entries += 1
    if (active.size >= stretch) archiveActive()
  }

  def search(query: RangeQuery, out: PositionBuffer): Unit = {
    val from = math.max(query.first, earliest)
    var i = 0
    while (i < archived.length) {
      val link = archived(i)
      if (link.tree != null) link.tree.search(query, from, out)
      else link.immutable.search(query, from, out)
      i += 1
    }
    active.search(query, from, out)
  }

  def expireBefore(earliest: Long): Unit =
    if (earliest > this.earliest) {
      this.earliest = earliest
      if (archived.length > 0 && archived(0).latest < earliest) drop()
    }

  def size: Int = entries

  def memoryBytes: Long = {
    val spare = (if (spareTree == null) 0L else spareTree.bytes) +
      (if (spareRun == null) 0L else spareRun.bytes)
    archived.foldLeft(active.bytes + spare)(_ + _.bytes)
  }

  def clear(): Unit = {
    active.reset()
    archive.clear()
    archived = Array.empty
    latest = Long.MinValue
    earliest = Long.MinValue
    entries = 0
  }

  private[this] def archiveActive(): Unit = {
    if (archiveImmutable) {
      val run = if (spareRun == null) new SortedRun else spareRun
      spareRun = null
      run.clear()
      run.append(active)
      active.reset()
      archive.add(new Link(null, new ImmutableBPlusTree(run), latest))
    } else {
      archive.add(new Link(active, null, latest))
      active = if (spareTree == null) new BPlusTree else spareTree
      spareTree = null
    }
    archived = archive.toArray(Array.empty[Link])
  }

  private[this] def drop(): Unit = {
    while (!archive.isEmpty && archive.peek().latest < earliest) {
      val link = archive.poll()
      entries -= link.size
      if (link.tree != null) {
        link.tree.reset()
        spareTree = link.tree
      } else spareRun = link.immutable.leaves
    }
    archived = archive.toArray(Array.empty[Link])
  }
}

private object ChainedIndex {

  /** An archived subindex: one of the two trees, the other null.
    *
    * @param latest
    *   the position of its last tuple
    */
  final class Link(val tree: BPlusTree, val immutable: ImmutableBPlusTree, val latest: Long) {
    def size: Int = if (tree != null) tree.size else immutable.size
    def bytes: Long = if (tree != null) tree.bytes else immutable.bytes
  }
}
