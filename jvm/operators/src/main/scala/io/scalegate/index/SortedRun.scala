package io.scalegate.index

/** Tuples in the order of their keys, in arrays that grow and are reused: what trees are
  * built from, and the last level of an [[ImmutableBPlusTree]]. One thread at a time.
  */
final private[index] class SortedRun {
  private[this] var allKeys = new Array[Long](0)
  private[this] var allValues = new Array[Int](0)
  private[this] var allPositions = new Array[Long](0)
  private[this] var count = 0

  def keys: Array[Long] = allKeys

  def values: Array[Int] = allValues

  def positions: Array[Long] = allPositions

  def size: Int = count

  def bytes: Long = allKeys.length * 20L

  def clear(): Unit = count = 0

  /** Adds a tree's entries, whose keys are not below those already there. */
  def append(tree: BPlusTree): Unit = {
    reserve(count + tree.size)
    tree.copyTo(allKeys, allValues, allPositions, count)
    count += tree.size
  }

  /** Becomes the union of two runs without what lies below `earliest`; of equal keys, those of
    * `older` come first.
    *
    * @param rest
    *   called after every few thousand entries
    */
  def merge(
      older: SortedRun,
      newer: SortedRun,
      earliest: Long,
      rest: () => Unit = SortedRun.NoRest
  ): Unit = {
    /*
     * Between two entries of the newer run, which is the shorter, lies a stretch of the older
     * one. Each of its entries is copied and the end advanced when it is to stay: which entries
     * expire is random, and a branch on it would be mispredicted as often as they do.
     */
    clear()
    reserve(older.size + newer.size)
    var i = 0
    var j = 0
    var restAt = SortedRun.Stretch
    while (j < newer.size) {
      i = copy(older, i, newer.keys(j), earliest)
      put(newer, j, earliest)
      j += 1
      if (i + j >= restAt) {
        rest()
        restAt = i + j + SortedRun.Stretch
      }
    }
    copy(older, i, Long.MaxValue, earliest)
    ()
  }

  /** Fills the arrays behind the last tuple, up to a multiple of `block`, with the largest key.
    */
  def pad(block: Int): Unit = {
    val end = (count + block - 1) / block * block
    reserve(end)
    java.util.Arrays.fill(allKeys, count, end, Long.MaxValue)
  }

  /** Adds the run's entries from `from` on up to the key `hi`; returns where that ended. */
  private[this] def copy(run: SortedRun, from: Int, hi: Long, earliest: Long): Int = {
    val toKeys = allKeys
    val toValues = allValues
    val toPositions = allPositions
    val fromKeys = run.keys
    val fromValues = run.values
    val fromPositions = run.positions
    val end = run.size
    var to = count
    var i = from
    while (i < end && fromKeys(i) <= hi) {
      val position = fromPositions(i)
      toKeys(to) = fromKeys(i)
      toValues(to) = fromValues(i)
      toPositions(to) = position
      to += (if (position >= earliest) 1 else 0)
      i += 1
    }
    count = to
    i
  }

  private[this] def put(run: SortedRun, i: Int, earliest: Long): Unit = {
    val position = run.positions(i)
    allKeys(count) = run.keys(i)
    allValues(count) = run.values(i)
    allPositions(count) = position
    count += (if (position >= earliest) 1 else 0)
  }

  /** Room for `n` tuples and as many more as the block that is padded. */
  private[this] def reserve(n: Int): Unit =
    if (n > allKeys.length) {
      val capacity = math.max(n + n / 8, 64)
      allKeys = java.util.Arrays.copyOf(allKeys, capacity)
      allValues = java.util.Arrays.copyOf(allValues, capacity)
      allPositions = java.util.Arrays.copyOf(allPositions, capacity)
    }
}

private[index] object SortedRun {

  /** Entries between two rests: about 20 microseconds. */
  private val Stretch = 4096

  private val NoRest: () => Unit = () => ()
}
