package io.scalegate.index

/** The leaf nodes of a [[BPlusTree]], by number: in rising order of their keys they form a list.
  * All of them lie in the same few arrays, so a leaf is no object and a reference to one is an
  * `Int`. One thread at a time.
  */
final private[index] class Leaves {
  import Leaves._

  private[this] var allKeys = new Array[Long](Capacity)
  private[this] var allValues = new Array[Int](Capacity)
  private[this] var allPositions = new Array[Long](Capacity)
  private[this] var counts = new Array[Int](1)
  private[this] var nexts = new Array[Int](1)
  private[this] var used = 0
  private[this] var free = None

  /** The keys of leaf `n` begin at `start(n)`. */
  def keys: Array[Long] = allKeys

  def values: Array[Int] = allValues

  def positions: Array[Long] = allPositions

  def start(leaf: Int): Int = leaf * Capacity

  def count(leaf: Int): Int = counts(leaf)

  /** The leaf after this one, or [[Leaves.None]]. */
  def next(leaf: Int): Int = nexts(leaf)

  def isFull(leaf: Int): Boolean = counts(leaf) == Capacity

  def bytes: Long = allKeys.length * 20L + counts.length * 8L

  /** An empty leaf that is in no list. */
  def allocate(): Int = {
    val leaf = if (free != None) free else used
    if (free != None) free = nexts(leaf)
    else {
      if (used == counts.length) grow()
      used += 1
    }
    counts(leaf) = 0
    nexts(leaf) = None
    leaf
  }

  /** Forgets every leaf and keeps the arrays. */
  def reset(): Unit = {
    used = 0
    free = None
  }

  /** Puts an entry behind those of the leaf whose key is not above its own. */
  def insert(leaf: Int, key: Long, value: Int, position: Long): Unit = {
    val from = leaf * Capacity
    val n = counts(leaf)
    val at = KeySearch.upTo(allKeys, from, n, key)
    shift(from + at, from + at + 1, n - at)
    allKeys(from + at) = key
    allValues(from + at) = value
    allPositions(from + at) = position
    counts(leaf) = n + 1
  }

  def remove(leaf: Int, at: Int): Unit = {
    val from = leaf * Capacity
    val n = counts(leaf) - 1
    shift(from + at + 1, from + at, n - at)
    counts(leaf) = n
  }

  /** Moves all entries but the first `keep` to a new leaf behind this one, and returns it. */
  def split(leaf: Int, keep: Int): Int = {
    val right = allocate()
    val moved = counts(leaf) - keep
    shift(leaf * Capacity + keep, right * Capacity, moved)
    counts(leaf) = keep
    counts(right) = moved
    nexts(right) = nexts(leaf)
    nexts(leaf) = right
    right
  }

  /** Whether the entries of both fit into one leaf. */
  def fit(left: Int, right: Int): Boolean = counts(left) + counts(right) <= Capacity

  /** Moves all entries of `right`, the leaf after `left`, to `left` and frees it. */
  def merge(left: Int, right: Int): Unit = {
    shift(right * Capacity, left * Capacity + counts(left), counts(right))
    counts(left) += counts(right)
    nexts(left) = nexts(right)
    nexts(right) = free
    free = right
  }

  private[this] def shift(from: Int, to: Int, n: Int): Unit = {
    System.arraycopy(allKeys, from, allKeys, to, n)
    System.arraycopy(allValues, from, allValues, to, n)
    System.arraycopy(allPositions, from, allPositions, to, n)
  }

  private[this] def grow(): Unit = {
    val leaves = counts.length * 2
    val keys = java.util.Arrays.copyOf(allKeys, leaves * Capacity)
    val values = java.util.Arrays.copyOf(allValues, leaves * Capacity)
    val positions = java.util.Arrays.copyOf(allPositions, leaves * Capacity)
    val grownNexts = java.util.Arrays.copyOf(nexts, leaves)
    counts = java.util.Arrays.copyOf(counts, leaves)
    nexts = grownNexts
    allKeys = keys
    allValues = values
    allPositions = positions
  }
}

private[index] object Leaves {
  val Capacity = 32

  /** No leaf. */
  val None: Int = -1
}
