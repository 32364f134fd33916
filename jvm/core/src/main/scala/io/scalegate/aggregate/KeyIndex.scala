package io.scalegate.aggregate

/** What is kept for each key: a hash table with open addressing. A null key is a key; there are no
  * null values.
  *
  * @param expected
  *   how many keys there may be; a table for more grows
  */
abstract private[scalegate] class KeyIndex[V <: AnyRef](expected: Int) {
  // A key's value stands behind it, so that both come with one cache line; a value of null: none.
  private[this] var cells = new Array[AnyRef](KeyIndex.cellsFor(expected))
  private[this] var count = 0

  /** How many keys. */
  final def size: Int = count

  final def foreach(f: (AnyRef, V) => Unit): Unit = {
    var i = 0
    while (i < cells.length) {
      val value = cells(i + 1)
      if (value != null) f(cells(i), value.asInstanceOf[V])
      i += 2
    }
  }

  /** Where the key is, or can be put; `hash` is [[StateTable.hash]] of it. */
  final protected def find(key: AnyRef, hash: Int): Int = {
    val now = cells
    val mask = now.length - 1
    var i = (hash << 1) & mask
    while (now(i + 1) != null && !((now(i) eq key) || now(i) == key)) i = (i + 2) & mask
    i
  }

  /** What is at a place that [[find]] gave: null if the key is new. */
  final protected def at(i: Int): V = cells(i + 1).asInstanceOf[V]

  /** Puts a new key where [[find]] said. */
  final protected def put(i: Int, key: AnyRef, value: V): Unit = {
    cells(i) = key
    cells(i + 1) = value
    count += 1
    if (4 * count > cells.length) grow()
  }

  /** Puts another value at a key's place. */
  final protected def replace(i: Int, value: V): Unit = cells(i + 1) = value

  private[this] def grow(): Unit = {
    val old = cells
    cells = new Array[AnyRef](2 * old.length)
    var i = 0
    while (i < old.length) {
      if (old(i + 1) != null) {
        val to = find(old(i), StateTable.hash(old(i)))
        cells(to) = old(i)
        cells(to + 1) = old(i + 1)
      }
      i += 2
    }
  }
}

private object KeyIndex {
  private val FewKeys = 4
  private val ManyKeys = 1 << 24

  /** Two for each key, and half of them free. */
  private def cellsFor(keys: Int): Int =
    4 * Integer.highestOneBit(2 * math.max(FewKeys, math.min(keys, ManyKeys)) - 1)
}
