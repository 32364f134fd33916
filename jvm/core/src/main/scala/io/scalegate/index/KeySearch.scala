package io.scalegate.index

/** Search in a run of sorted keys, such as a node. The number of steps depends on the run's
  * length alone and each step is a conditional move, so that random keys cost no mispredicted
  * branches. No state: any thread.
  */
private[index] object KeySearch {

  /** How many of the `count` keys from `from` on are below `key`. */
  def below(keys: Array[Long], from: Int, count: Int, key: Long): Int = {
    var base = from
    var n = count
    while (n > 0) {
      val half = (n + 1) >>> 1
      base = if (keys(base + half - 1) < key) base + half else base
      n -= half
    }
    base - from
  }

  /** How many of the `count` keys from `from` on are at most `key`. */
  def upTo(keys: Array[Long], from: Int, count: Int, key: Long): Int = {
    var base = from
    var n = count
    while (n > 0) {
      val half = (n + 1) >>> 1
      base = if (keys(base + half - 1) <= key) base + half else base
      n -= half
    }
    base - from
  }
}
