package io.scalegate.index

/** Search in a node's sorted keys, from the first on. Binary search with conditional moves and a
  * count without branches are slower, by a fifth and more in windows that exceed the caches: here
  * the processor guesses how the search ends and loads the next node meanwhile. No state: any
  * thread.
  */
private[index] object KeySearch {

  /** How many of the `count` keys from `from` on are below `key`. */
  def below(keys: Array[Long], from: Int, count: Int, key: Long): Int = {
    val end = from + count
    var i = from
    while (i < end && keys(i) < key) i += 1
    i - from
  }

  /** How many of the `count` keys from `from` on are at most `key`. */
  def upTo(keys: Array[Long], from: Int, count: Int, key: Long): Int = {
    val end = from + count
    var i = from
    while (i < end && keys(i) <= key) i += 1
    i - from
  }
}
