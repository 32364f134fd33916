package io.scalegate.aggregate

/** States of a window, by key.
  *
  * One thread at a time: a winset has one for each lane (see [[Winset]]).
  */
final private[scalegate] class StateTable[T, S <: AnyRef](
    function: AggregateFunction[T, S, _],
    expected: Int
) extends KeyIndex[S](expected) {

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
}

private[scalegate] object StateTable {

  /** Of a key, its bits mixed: neighbouring numbers are common keys. */
  def hash(key: Any): Int = {
    val mixed = key.## * 0x9e3779b9
    mixed ^ (mixed >>> 16)
  }
}
