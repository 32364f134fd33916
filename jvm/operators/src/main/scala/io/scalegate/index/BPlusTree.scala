package io.scalegate.index

import scala.annotation.tailrec

/** The classic B+-tree of PIM-Tree §3.1: keys with values and positions in linked leaves, inner nodes with
  * references to their children. Entries of one key stay in the order of their insertion. One
  * thread at a time.
  *
  * @param leaves
  *   where the tree's leaves lie, and those of other trees of the same thread if it shares them
  */
final private[index] class BPlusTree(leaves: Leaves, inner: InnerNodes) {
  /*
   * Equal keys may spread over several leaves, so a key that separates two children may occur on
   * both sides. An insertion takes the last child that may hold the key, a search the first, and
   * from there follows the leaves. A removal takes the first entry of its key: tuples expire in
   * the order in which they came, so the one that expires is the first among its equals, and
   * inner nodes need no positions to find it.
   *
   * Full nodes are split on the way down, so that their parent has room. The last leaf, when the
   * new key goes behind all others, is left full instead of split in two: with rising keys, and
   * with many equal ones, leaves are full and not half full.
   *
   * A node that a removal leaves less than a quarter full is merged with a neighbour if both fit
   * into one node. An empty leaf always does, so no leaf of a tree with more than one is empty.
   */

  def this() = this(new Leaves, new InnerNodes)

  private[this] var root = Leaves.None // until there is an entry
  private[this] var height = 0
  private[this] var entries = 0

  def size: Int = entries

  /** Of all trees that share the nodes. */
  def bytes: Long = leaves.bytes + inner.bytes

  /** Forgets every entry and keeps the arrays. For a tree that shares no nodes. */
  def reset(): Unit = {
    leaves.reset()
    inner.reset()
    forget()
  }

  /** Forgets every entry, of a tree whose nodes are reset elsewhere. */
  def forget(): Unit = {
    root = Leaves.None
    height = 0
    entries = 0
  }

  /** Puts an entry behind those of the same key. */
  def insert(key: Long, value: Int, position: Long): Unit = {
    if (root == Leaves.None) root = leaves.allocate()
    else if (isFull(root, height)) growRoot()
    var node = root
    var level = height
    while (level > 0) {
      level -= 1
      var i = inner.lastChild(node, key)
      if (isFull(inner.child(node, i), level)) {
        splitChild(node, i, level, key)
        if (key >= inner.key(node, i)) i += 1
      }
      node = inner.child(node, i)
    }
    leaves.insert(node, key, value, position)
    entries += 1
  }

  /** Appends to `out` the positions that the query asks for, in the order of their keys.
    *
    * @param first
    *   in the place of the query's
    */
  def search(query: RangeQuery, first: Long, out: PositionBuffer): Unit =
    if (entries > 0) {
      val lo = query.lo
      var leaf = firstLeaf(lo)
      var i = KeySearch.below(leaves.keys, leaves.start(leaf), leaves.count(leaf), lo)
      while (leaf != Leaves.None) {
        val from = leaves.start(leaf)
        val end = from + leaves.count(leaf)
        leaf =
          if (collect(from + i, end, query, first, out)) leaves.next(leaf)
          else Leaves.None
        i = 0
      }
    }

  /** Takes out the first entry of the key; false when there is none. */
  def removeFirst(key: Long): Boolean = {
    val found = entries > 0 && remove(root, height, key)
    if (found) entries -= 1
    while (height > 0 && inner.count(root) == 0) {
      val emptied = root
      root = inner.child(root, 0)
      inner.release(emptied)
      height -= 1
    }
    found
  }

  /** Copies all entries, in the order of their keys, to the arrays from `at` on. */
  def copyTo(keys: Array[Long], values: Array[Int], positions: Array[Long], at: Int): Unit = {
    var leaf = leftmostLeaf
    var to = at
    while (leaf != Leaves.None) {
      val n = leaves.count(leaf)
      System.arraycopy(leaves.keys, leaves.start(leaf), keys, to, n)
      System.arraycopy(leaves.values, leaves.start(leaf), values, to, n)
      System.arraycopy(leaves.positions, leaves.start(leaf), positions, to, n)
      to += n
      leaf = leaves.next(leaf)
    }
  }

  /** Whether the scan may go on in the next leaf. */
  private[this] def collect(
      from: Int,
      end: Int,
      query: RangeQuery,
      first: Long,
      out: PositionBuffer
  ): Boolean = {
    val hi = query.hi
    val least = query.least
    val greatest = query.greatest
    val last = query.last
    val keys = leaves.keys
    val values = leaves.values
    val positions = leaves.positions
    var i = from
    while (i < end && keys(i) <= hi) {
      val value = values(i)
      if (value >= least && value <= greatest) {
        val position = positions(i)
        if (position >= first && position <= last) out.add(position)
      }
      i += 1
    }
    out.addTested(i - from)
    i == end
  }

  private[this] def isFull(node: Int, level: Int): Boolean =
    if (level == 0) leaves.isFull(node) else inner.isFull(node)

  private[this] def growRoot(): Unit = {
    root = inner.allocate(root)
    height += 1
  }

  /** Splits the full child `i` of `parent`; `key` is about to be inserted. */
  private[this] def splitChild(parent: Int, i: Int, level: Int, key: Long): Unit = {
    val child = inner.child(parent, i)
    if (level > 0) {
      val right = inner.split(child)
      inner.insert(parent, i, inner.key(child, inner.count(child)), right)
    } else if (leaves.next(child) == Leaves.None && key >= lastKey(child))
      inner.insert(parent, i, key, leaves.split(child, Leaves.Capacity))
    else {
      val right = leaves.split(child, Leaves.Capacity / 2)
      inner.insert(parent, i, leaves.keys(leaves.start(right)), right)
    }
  }

  private[this] def lastKey(leaf: Int): Long =
    leaves.keys(leaves.start(leaf) + leaves.count(leaf) - 1)

  private[this] def firstLeaf(key: Long): Int = {
    var node = root
    var level = height
    while (level > 0) {
      node = inner.child(node, inner.firstChild(node, key))
      level -= 1
    }
    node
  }

  private[this] def leftmostLeaf: Int = {
    @tailrec def descend(node: Int, level: Int): Int =
      if (level == 0) node else descend(inner.child(node, 0), level - 1)
    descend(root, height)
  }

  /** Below an inner node the entry is under the first child that may hold the key or, when that
    * has only smaller ones, under a later one.
    */
  private[this] def remove(node: Int, level: Int, key: Long): Boolean =
    if (level == 0) removeFromLeaf(node, key)
    else {
      val end = inner.lastChild(node, key)
      var i = inner.firstChild(node, key)
      while (i <= end && !remove(inner.child(node, i), level - 1, key)) i += 1
      if (i <= end && isScarce(inner.child(node, i), level - 1)) mergeChild(node, i, level - 1)
      i <= end
    }

  private[this] def removeFromLeaf(leaf: Int, key: Long): Boolean = {
    val from = leaves.start(leaf)
    val i = KeySearch.below(leaves.keys, from, leaves.count(leaf), key)
    val found = i < leaves.count(leaf) && leaves.keys(from + i) == key
    if (found) leaves.remove(leaf, i)
    found
  }

  private[this] def isScarce(node: Int, level: Int): Boolean =
    if (level == 0) leaves.count(node) < Leaves.Capacity / 4
    else inner.count(node) < InnerNodes.MaxKeys / 4

  /** Merges child `i` with the one before or the one after it, if there is one and they fit. */
  private[this] def mergeChild(parent: Int, i: Int, level: Int): Unit =
    if (i == 0 || !mergePair(parent, i - 1, level)) {
      if (i < inner.count(parent)) mergePair(parent, i, level)
      ()
    }

  private[this] def mergePair(parent: Int, i: Int, level: Int): Boolean = {
    val left = inner.child(parent, i)
    val right = inner.child(parent, i + 1)
    val fits = if (level == 0) leaves.fit(left, right) else inner.fit(left, right)
    if (fits) {
      if (level == 0) leaves.merge(left, right)
      else inner.merge(left, inner.key(parent, i), right)
      inner.remove(parent, i)
    }
    fits
  }
}
