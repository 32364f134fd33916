package io.scalegate.index

/** The inner nodes of a [[BPlusTree]], by number. A node of `count` keys has `count + 1`
  * children; key `i` is not above any key below child `i + 1` and not below any below child `i`.
  * All nodes lie in the same few arrays. One thread at a time.
  */
final private[index] class InnerNodes {
  import InnerNodes._

  private[this] var keys = new Array[Long](0)
  private[this] var children = new Array[Int](0)
  private[this] var counts = new Array[Int](0)
  private[this] var used = 0
  private[this] var free = -1

  def count(node: Int): Int = counts(node)

  def key(node: Int, i: Int): Long = keys(node * Stride + i)

  def child(node: Int, i: Int): Int = children(node * Stride + i)

  def isFull(node: Int): Boolean = counts(node) == MaxKeys

  def bytes: Long = keys.length * 12L + counts.length * 4L

  /** The first child that may hold a key of at least `key`. */
  def firstChild(node: Int, key: Long): Int =
    KeySearch.below(keys, node * Stride, counts(node), key)

  /** The last child that may hold a key of at most `key`. */
  def lastChild(node: Int, key: Long): Int =
    KeySearch.upTo(keys, node * Stride, counts(node), key)

  /** A node with one child. */
  def allocate(onlyChild: Int): Int = {
    val node = if (free >= 0) free else used
    if (free >= 0) free = children(node * Stride)
    else {
      if (used == counts.length) grow()
      used += 1
    }
    counts(node) = 0
    children(node * Stride) = onlyChild
    node
  }

  def release(node: Int): Unit = {
    children(node * Stride) = free
    free = node
  }

  /** Forgets every node and keeps the arrays. */
  def reset(): Unit = {
    used = 0
    free = -1
  }

  /** Puts a child behind child `i`, with the key between the two. */
  def insert(node: Int, i: Int, key: Long, child: Int): Unit = {
    val from = node * Stride + i
    val n = counts(node) - i
    System.arraycopy(keys, from, keys, from + 1, n)
    System.arraycopy(children, from + 1, children, from + 2, n)
    keys(from) = key
    children(from + 1) = child
    counts(node) += 1
  }

  /** Takes out child `i + 1` and the key before it. */
  def remove(node: Int, i: Int): Unit = {
    val from = node * Stride + i
    val n = counts(node) - i - 1
    System.arraycopy(keys, from + 1, keys, from, n)
    System.arraycopy(children, from + 2, children, from + 1, n)
    counts(node) -= 1
  }

  /** Moves the upper half to a new node, which is returned. The key between the two is then key
    * `count(node)` of `node`.
    */
  def split(node: Int): Int = {
    val keep = counts(node) / 2
    val right = allocate(child(node, keep + 1))
    val moved = counts(node) - keep - 1
    System.arraycopy(keys, node * Stride + keep + 1, keys, right * Stride, moved)
    System.arraycopy(children, node * Stride + keep + 2, children, right * Stride + 1, moved)
    counts(node) = keep
    counts(right) = moved
    right
  }

  /** Whether both fit into one node. */
  def fit(left: Int, right: Int): Boolean = counts(left) + counts(right) + 1 <= MaxKeys

  /** Moves the children of `right` behind those of `left`, and frees it.
    *
    * @param between
    *   the key between the two
    */
  def merge(left: Int, between: Long, right: Int): Unit = {
    val to = left * Stride + counts(left)
    keys(to) = between
    System.arraycopy(keys, right * Stride, keys, to + 1, counts(right))
    System.arraycopy(children, right * Stride, children, to + 1, counts(right) + 1)
    counts(left) += counts(right) + 1
    release(right)
  }

  private[this] def grow(): Unit = {
    val nodes = math.max(1, counts.length * 2)
    val grownKeys = java.util.Arrays.copyOf(keys, nodes * Stride)
    val grownChildren = java.util.Arrays.copyOf(children, nodes * Stride)
    counts = java.util.Arrays.copyOf(counts, nodes)
    keys = grownKeys
    children = grownChildren
  }
}

private[index] object InnerNodes {
  private val Stride = 32

  val MaxKeys: Int = Stride - 1
}
