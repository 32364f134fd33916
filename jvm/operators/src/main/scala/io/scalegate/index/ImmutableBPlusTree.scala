package io.scalegate.index

import io.scalegate.column.RangeKernel

/** A B+-tree that is built at once and never changed (PIM-Tree §3.1; CSS-tree layout): nodes lie
  * breadth-first in an array, and a node's children are found by arithmetic. The tree owns the
  * run that it is built from.
  *
  * Any number of threads may search a tree that was published safely.
  */
final private[index] class ImmutableBPlusTree(run: SortedRun) {
  /*
   * The last level is the run itself, in nodes of F entries. An inner node has F keys: key i is
   * the largest of its child i. So the tree holds only keys above the last level, all of a node's
   * keys are children, and a search for the first key that is not below k takes at each level the
   * child whose number is the count of keys below k:
   *
   *   depth 0                 [ 9 ∞ ]                 F = 2
   *   depth 1            [ 4 9 ]   [ ∞ ∞ ]
   *   last level     [ 2 4 ]   [ 7 9 ]
   *
   * Node n of one depth has the children F·n … F·n + F − 1 of the next. What is missing of the
   * last node of a level is filled with the largest key; a key above all of the tree's is caught
   * before the descent, so that nobody enters a node that is filling only.
   */
  import ImmutableBPlusTree._

  run.pad(Fanout)

  /** How many tuples there are. */
  val size: Int = run.size

  /** The number of levels of inner nodes; the root is at depth 0. */
  val height: Int = {
    var levels = 0
    var n = nodesFor(size)
    while (n > 1) {
      n = nodesFor(n)
      levels += 1
    }
    levels
  }

  /** By depth, the number of nodes; the last level's too. */
  private[this] val nodes = {
    val n = new Array[Int](height + 1)
    n(height) = math.max(1, nodesFor(size))
    for (depth <- height - 1 to 0 by -1) n(depth) = nodesFor(n(depth + 1))
    n
  }

  /** By depth, where in `inner` its keys begin. */
  private[this] val starts = nodes.scanLeft(0)(_ + _ * Fanout)

  /** The keys of the inner nodes. */
  private[this] val inner = {
    val keys = new Array[Long](starts(height))
    java.util.Arrays.fill(keys, Long.MaxValue)
    for (depth <- height - 1 to 0 by -1) {
      val below = if (depth + 1 == height) run.keys else keys
      val start = if (depth + 1 == height) 0 else starts(depth + 1)
      val count = if (depth + 1 == height) size else nodes(depth + 2)
      for (n <- 0 until nodes(depth + 1))
        keys(starts(depth) + n) = below(start + math.min((n + 1) * Fanout, count) - 1)
    }
    keys
  }

  private[this] val keys = run.keys
  private[this] val values = run.values
  private[this] val positions = run.positions
  private[this] val largest = if (size == 0) Long.MinValue else keys(size - 1)

  /** The last level. */
  def leaves: SortedRun = run

  def bytes: Long = run.bytes + inner.length * 8L

  /** The number of nodes at a depth of at most `height`. */
  def nodesAt(depth: Int): Int = nodes(depth)

  /** The first node at `depth` that has a key of at least `key`; the last node if none has. */
  def node(depth: Int, key: Long): Int =
    if (key > largest) nodes(depth) - 1
    else descend(0, 0, depth, key)

  /** The largest key below the node. */
  def lastKey(depth: Int, node: Int): Long =
    if (depth == 0) largest else inner(starts(depth - 1) + node)

  /** Appends to `out` the positions that the query asks for, in the order of their keys.
    *
    * @param first
    *   in the place of the query's
    */
  def search(query: RangeQuery, first: Long, out: PositionBuffer): Unit =
    searchBelow(0, 0, query, first, out)

  /** The same from a node on that [[node]] has found for the query's least key. */
  def searchBelow(
      depth: Int,
      node: Int,
      query: RangeQuery,
      first: Long,
      out: PositionBuffer
  ): Unit =
    if (query.lo <= largest && size > 0) {
      val from = firstAtLeast(depth, node, query.lo)
      val hi = query.hi
      if (isLong(from, hi) && query.testsValues) {
        val until = if (hi >= largest) size else firstAtLeast(0, 0, hi + 1)
        select(from, until, query, first, out)
      } else scan(from, query, first, out)
    }

  private[this] def scan(from: Int, query: RangeQuery, first: Long, out: PositionBuffer): Unit = {
    val hi = query.hi
    val least = query.least
    val greatest = query.greatest
    val last = query.last
    var i = from
    while (i < size && keys(i) <= hi) {
      val value = values(i)
      if (value >= least && value <= greatest) {
        val position = positions(i)
        if (position >= first && position <= last) out.add(position)
      }
      i += 1
    }
    out.addTested(i - from)
  }

  /** Whether so many entries from there on have keys up to `hi` that it pays to look for the end
    * of them before they are tested.
    */
  private[this] def isLong(from: Int, hi: Long): Boolean =
    from + Run < size && keys(from + Run) <= hi

  /** Tests the values of a run of entries, many at a time. */
  private[this] def select(
      from: Int,
      until: Int,
      query: RangeQuery,
      first: Long,
      out: PositionBuffer
  ): Unit =
    if (query.least <= query.greatest) {
      val last = query.last
      val slots = out.scratch(until - from)
      out.addTested(until - from)
      val n =
        RangeKernel.best.select(values, from, until, query.least, query.greatest, slots, 0)
      var k = 0
      while (k < n) {
        val position = positions(slots(k))
        if (position >= first && position <= last) out.add(position)
        k += 1
      }
    }

  /** The first entry whose key is not below `key`, which the tree has; from a node on that
    * [[node]] has found for the key.
    */
  private[this] def firstAtLeast(depth: Int, node: Int, key: Long): Int = {
    val leaf = descend(depth, node, height, key)
    leaf * Fanout + KeySearch.below(keys, leaf * Fanout, Fanout, key)
  }

  private[this] def descend(fromDepth: Int, fromNode: Int, depth: Int, key: Long): Int = {
    var node = fromNode
    var d = fromDepth
    while (d < depth) {
      node = node * Fanout + KeySearch.below(inner, starts(d) + node * Fanout, Fanout, key)
      d += 1
    }
    node
  }
}

private[index] object ImmutableBPlusTree {

  /** Keys of a node: two cache lines. */
  val Fanout = 16

  /** Entries for which a second descent costs less than testing one after the other. */
  private val Run = 48

  def empty: ImmutableBPlusTree = new ImmutableBPlusTree(new SortedRun)

  private def nodesFor(children: Int): Int = (children + Fanout - 1) / Fanout
}
