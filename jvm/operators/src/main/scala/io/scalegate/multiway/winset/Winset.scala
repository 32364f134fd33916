package io.scalegate.multiway.winset

import io.scalegate.multiway.function.{AggregateFunction, StateTable}

/** The windows of one time interval, for all keys, in a hive (multiway aggregation, §2, §5.2): a
  * table of states for each lane (see [[Lanes]]), made when it is first needed. Who holds a lane
  * adds in it; who takes the winset from the hive reads.
  *
  * @param expected
  *   how many keys a lane may have
  */
final private[scalegate] class Winset[T, S <: AnyRef](
    val start: Long,
    lanes: Int,
    expected: Int,
    function: AggregateFunction[T, S, _]
) {
  private[this] val tables = new Array[StateTable[T, S]](lanes)

  /** Adds a tuple of the key; `hash` is [[StateTable.hash]] of it. */
  def add(lane: Int, key: AnyRef, hash: Int, tuple: T): Unit = table(lane).add(key, hash, tuple)

  /** Has the key, with a tuple that the function passes over. */
  def touch(lane: Int, key: AnyRef, hash: Int): Unit = table(lane).touch(key, hash)

  /** The most keys that a lane has. Of a winset that was taken, before [[states]]. */
  def mostKeys: Int = tables.iterator.filter(_ != null).map(_.size).max

  /** What was added, lane by lane. Once, by the one who took the winset. */
  def byLane: Array[StateTable[T, S]] = tables.filter(_ != null)

  /** What was added in all lanes, in one table. In the place of [[byLane]]. */
  def states(): StateTable[T, S] = {
    // A function that rounds merges in the order of the lanes; else few are put into many.
    val ordered = if (function.isRounding) byLane else byLane.sortBy(-_.size)
    ordered.tail.foreach(ordered.head.absorb)
    ordered.head
  }

  private[this] def table(lane: Int): StateTable[T, S] = {
    if (tables(lane) == null) tables(lane) = new StateTable[T, S](function, expected)
    tables(lane)
  }
}
