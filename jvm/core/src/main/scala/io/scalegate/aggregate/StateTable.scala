package io.scalegate.aggregate

/** One thread's states of a window, by key: a hash table with open addressing. A null key is a key.
  *
  * Not thread-safe: a winset has one for each thread that updates it (see [[Winset]]).
  */
final private[scalegate] class StateTable[T, S <: AnyRef](
    function: AggregateFunction[T, S, _]
) {
  private[this] var keys = new Array[Any](StateTable.FewCells)
  private[this] var hashes = new Array[Int](StateTable.FewCells)
  private[this] var states = new Array[AnyRef](StateTable.FewCells) // null: an empty cell
  private[this] var count = 0

  def size: Int = count

  /** Adds a tuple of the key; `hash` is [[StateTable.hash]] of it. */
  def add(key: Any, hash: Int, tuple: T): Unit = {
    val i = cellOf(key, hash)
    val state = states(i)
    if (state == null) put(i, key, hash, function.add(function.create(), tuple))
    else states(i) = function.add(state.asInstanceOf[S], tuple)
  }

  /** The key's state; null if it has none. */
  def get(key: Any): S = states(cellOf(key, StateTable.hash(key))).asInstanceOf[S]

  /** Gives the key a state. */
  def put(key: Any, state: S): Unit = {
    val hash = StateTable.hash(key)
    val i = cellOf(key, hash)
    if (states(i) == null) put(i, key, hash, state) else states(i) = state
  }

  /** Adds what another table has behind what this one has, key by key. The other is not used any more: its
    * states may go on here.
    */
  def absorb(other: StateTable[T, S]): Unit =
    other.foreachCell { (key, hash, state) =>
      val i = cellOf(key, hash)
      val mine = states(i)
      if (mine == null) put(i, key, hash, state)
      else states(i) = function.merge(mine.asInstanceOf[S], state)
    }

  def foreach(f: (Any, S) => Unit): Unit = foreachCell((key, _, state) => f(key, state))

  private def foreachCell(f: (Any, Int, S) => Unit): Unit = {
    var i = 0
    while (i < states.length) {
      val state = states(i)
      if (state != null) f(keys(i), hashes(i), state.asInstanceOf[S])
      i += 1
    }
  }

  private[this] def cellOf(key: Any, hash: Int): Int = {
    val mask = states.length - 1
    var i = hash & mask
    while (states(i) != null && !(hashes(i) == hash && isSame(keys(i), key))) i = (i + 1) & mask
    i
  }

  private[this] def isSame(a: Any, b: Any): Boolean =
    (a.asInstanceOf[AnyRef] eq b.asInstanceOf[AnyRef]) || a == b

  private[this] def put(i: Int, key: Any, hash: Int, state: S): Unit = {
    keys(i) = key
    hashes(i) = hash
    states(i) = state
    count += 1
    if (2 * count > states.length) grow()
  }

  private[this] def grow(): Unit = {
    val oldKeys = keys
    val oldHashes = hashes
    val oldStates = states
    keys = new Array[Any](2 * oldStates.length)
    hashes = new Array[Int](2 * oldStates.length)
    states = new Array[AnyRef](2 * oldStates.length)
    var i = 0
    while (i < oldStates.length) {
      if (oldStates(i) != null) {
        val to = cellOf(oldKeys(i), oldHashes(i))
        keys(to) = oldKeys(i)
        hashes(to) = oldHashes(i)
        states(to) = oldStates(i)
      }
      i += 1
    }
  }
}

private[scalegate] object StateTable {
  private val FewCells = 8

  /** Of a key, its bits mixed: neighbouring numbers are common keys. */
  def hash(key: Any): Int = {
    val mixed = key.## * 0x9e3779b9
    mixed ^ (mixed >>> 16)
  }
}
