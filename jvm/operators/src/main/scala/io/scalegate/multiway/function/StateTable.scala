package io.scalegate.multiway.function

/** States of a window, by key: a hash table with open addressing. A null key is a key; there are no
  * null states.
  *
  * One thread at a time: a winset has one for each lane (see [[Winset]]).
  *
  * @param expected
  *   how many keys there may be; a table for more grows
  */
final private[scalegate] class StateTable[T, S <: AnyRef](
    function: AggregateFunction[T, S, _],
    expected: Int
) {
  // A key's state stands behind it, so that both come with one cache line; a state of null: none.
  private[this] var cells = new Array[AnyRef](StateTable.cellsFor(expected))
  private[this] var count = 0

  /** How many keys. */
  def size: Int = count

  def foreach(f: (AnyRef, S) => Unit): Unit = {
    var i = 0
    while (i < cells.length) {
      val state = cells(i + 1)
      if (state != null) f(cells(i), state.asInstanceOf[S])
      i += 2
    }
  }

  /** Adds a tuple of the key; `hash` is [[StateTable.hash]] of it. */
  def add(key: AnyRef, hash: Int, tuple: T): Unit = {
    val i = find(key, hash)
    val state = at(i)
    if (state == null) put(i, key, function.add(function.create(), tuple))
    else {
      val added = function.add(state, tuple)
      if (added ne state) replace(i, added)
    }
  }

  /** Has the key, with the state of no tuples if it is new. */
  def touch(key: AnyRef, hash: Int): Unit = {
    val i = find(key, hash)
    if (at(i) == null) put(i, key, function.create())
  }

  /** Adds what another table has behind what this one has, key by key. The other is not used any
    * more: its states may go on here.
    */
  def absorb(other: StateTable[T, S]): Unit =
    other.foreach { (key, state) =>
      val i = find(key, StateTable.hash(key))
      val mine = at(i)
      if (mine == null) put(i, key, state)
      else replace(i, function.merge(mine, state))
    }

  /** Where the key is, or can be put. */
  private[this] def find(key: AnyRef, hash: Int): Int = {
    val now = cells
    val mask = now.length - 1
    var i = (hash << 1) & mask
    while (now(i + 1) != null && !((now(i) eq key) || now(i) == key)) i = (i + 2) & mask
    i
  }

  /** What is at a place that [[find]] gave: null if the key is new. */
  private[this] def at(i: Int): S = cells(i + 1).asInstanceOf[S]

  /** Puts a new key where [[find]] said. */
  private[this] def put(i: Int, key: AnyRef, state: S): Unit = {
    cells(i) = key
    cells(i + 1) = state
    count += 1
    if (4 * count > cells.length) grow()
  }

  private[this] def replace(i: Int, state: S): Unit = cells(i + 1) = state

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

private[scalegate] object StateTable {
  private val FewKeys = 4
  private val ManyKeys = 1 << 24

  /** Of a key, its bits mixed: neighbouring numbers are common keys. */
  def hash(key: Any): Int = {
    val mixed = key.## * 0x9e3779b9
    mixed ^ (mixed >>> 16)
  }

  /** Two for each key, and half of them free. */
  private def cellsFor(keys: Int): Int =
    4 * Integer.highestOneBit(2 * math.max(FewKeys, math.min(keys, ManyKeys)) - 1)
}
