package io.scalegate.multiway.function

/** How a function's states are kept for the windows of a block, which are next to each other: a
  * lane's, which who holds the lane adds to, and what the consumer makes of those of all lanes.
  */
abstract private[scalegate] class StateLayout[-T, L <: LaneStates[T]] {

  /** The logarithm of how many windows a block best has, where so many hold a time. */
  def blockShift(overlap: Long): Int

  /** No states, for so many windows, and maybe as many keys as expected. */
  def lane(windows: Int, expected: Int): L

  /** For the windows of one block. */
  def windows(): WindowStates[L]
}

private[scalegate] object StateLayout {

  /** So many windows of a tuple cost as much in rows as by differences. */
  private val Few = 4

  /** By differences where that is possible, and less work. */
  def forFunction[T, S <: AnyRef](
      function: AggregateFunction[T, S, _],
      overlap: Long
  ): StateLayout[T, _ <: LaneStates[T]] = function match {
    case inverse: Invertible[S @unchecked] if overlap > Few =>
      new InvertibleLayout(function, inverse)
    case _ => new ObjectLayout(function)
  }

  /** The logarithm of at least `overlap`. */
  def shiftFor(overlap: Long): Int = 64 - java.lang.Long.numberOfLeadingZeros(overlap - 1)
}

/** The states of a lane's keys, for windows next to each other. Keys are numbered from 0, as they
  * come.
  *
  * One thread at a time makes states and adds to them. Another may take a window's states that
  * nobody adds to any more, while that goes on for later windows.
  */
abstract private[scalegate] class LaneStates[-T] {

  /** Adds the tuple to the key's states of the windows from `from` until `until`, those made that
    * are missing; at least one.
    */
  def addToEach(key: Int, from: Int, until: Int, tuple: T): Unit

  /** Makes the key's states that are missing from `from` until `until`; at least one. */
  def touchEach(key: Int, from: Int, until: Int): Unit
}

/** What lanes have for a window, by key. The consumer's, who takes one window after the other. */
abstract private[scalegate] class WindowStates[-L] {

  /** Begins a window behind all before.
    *
    * @param keys
    *   how many there are, over all lanes
    */
  def begin(window: Int, keys: Int): Unit

  /** Adds what a lane has for the window, once; in the order of lanes.
    *
    * @param count
    *   how many keys of the lane there are to look at
    * @param numbers
    *   of the lane's keys, over all lanes; null: the lane's own
    */
  def add(lane: L, count: Int, numbers: Array[Int]): Unit

  /** Ends the window, with the results of those keys that it has. */
  def end(keys: Array[AnyRef], taken: TakenResults): Unit
}

/** The keys and results of a window that was taken. */
final private[scalegate] class TakenResults {
  private[this] var allKeys, allResults = TakenResults.None
  private[this] var count = 0

  /** As many are added next. */
  def expect(more: Int): Unit =
    if (count == 0) {
      allKeys = new Array[AnyRef](more)
      allResults = new Array[AnyRef](more)
    } else {
      allKeys = java.util.Arrays.copyOf(allKeys, count + more)
      allResults = java.util.Arrays.copyOf(allResults, count + more)
    }

  def add(key: AnyRef, result: AnyRef): Unit = {
    allKeys(count) = key
    allResults(count) = result
    count += 1
  }

  /** As many as were added, with the results in their places. */
  def keys: Array[AnyRef] = allKeys
  def results: Array[AnyRef] = allResults
}

private[scalegate] object TakenResults {
  private val None = new Array[AnyRef](0)
}
