package io.scalegate.multiway.winset

import java.util.ArrayList
import java.util.concurrent.atomic.AtomicReferenceArray

import io.scalegate.multiway.function.{
  KeyNumbers,
  LaneStates,
  StateLayout,
  StateTable,
  TakenResults
}

/** The winset of a window that overlaps others: one column of a block.
  *
  * @param index
  *   of the window in its block
  */
final private[scalegate] class OverlappingWinset[L <: LaneStates[_]](
    val start: Long,
    val block: WinsetBlock[L],
    val index: Int
)

/** The states of `width` windows next to each other, which overlap: a tuple lies in many of them,
  * and its key is looked up once for all.
  *
  * @param expected
  *   how many keys a lane may have
  * @param isKeyOwned
  *   whether a key is in one lane only
  */
final private[scalegate] class WinsetBlock[L <: LaneStates[_]](
    layout: StateLayout[_, L],
    lanes: Int,
    width: Int,
    expected: Int,
    isKeyOwned: Boolean
) {
  /*
   * Each lane (see Lanes) numbers its keys, and has a state for each of them and of the windows
   * that it has:
   *
   *     windows       0   1   2   3   4   5   6   7
   *     lane 0  0: a  s | s | s | s |   |   |   |
   *             1: b    |   | s | s | s | s | s |
   *     lane 2  0: b    |   |   |   | s | s | s | s
   *
   * Who holds the lane adds keys, makes states where there are none, and adds to them. The consumer takes the windows
   * one after the other, each when nobody adds to it any more, and goes through all keys for it, while others may be
   * adding keys and states for later windows. It leaves nothing of a window's states behind but what lasts into the
   * next, and a block goes when no winset of it is open, with all its keys: no key is held for longer than a block's
   * time beyond its windows.
   *
   * Where a key can be in several lanes, the consumer numbers it over all of them.
   *
   * Memory order:
   *   lanes, keys       release by who holds the lane, acquire by the consumer: it sees keys that
   *                     came so far, those with a state in the window that it takes among them,
   *                     since who brought them, or one after it in the lane, has promised.
   *   states            plain. The consumer takes those of complete windows, which nobody else
   *                     touches. See ObjectRows and DifferenceColumns.
   */
  private[this] val present = new AtomicReferenceArray[BlockLane[L]](lanes)

  // The consumer's.
  private[this] val joined =
    Array.fill(if (isKeyOwned) lanes else 1)(new JoinedLanes[L](layout, lanes))

  /** A lane; only for who is in it. */
  def lane(i: Int): BlockLane[L] = {
    val found = present.getPlain(i)
    if (found != null) found
    else {
      val made = new BlockLane[L](i, layout.lane(width, expected), expected)
      present.setRelease(i, made)
      made
    }
  }

  /** The most keys that a lane has. The consumer's. */
  def mostKeys: Int = (0 until lanes).map(present.getAcquire).filter(_ != null).map(_.length).max

  /** Moves a complete window's results, by key, to the end of what was taken. */
  def take(index: Int, taken: TakenResults): Unit = {
    var i = 0
    while (i < lanes) {
      val lane = present.getAcquire(i)
      if (lane != null) joined(if (isKeyOwned) i else 0).enter(lane)
      i += 1
    }
    joined.foreach(_.take(index, taken))
  }
}

/** What a lane has in a block: its keys, and their states. */
final private[scalegate] class BlockLane[L <: LaneStates[_]](
    val id: Int,
    val states: L,
    expected: Int
) extends KeyNumbers(expected)

/** The lanes of a block that may have keys in common. The consumer's. */
final private class JoinedLanes[L <: LaneStates[_]](layout: StateLayout[_, L], lanes: Int) {
  private[this] val states = layout.windows()
  private[this] val present = new ArrayList[BlockLane[L]]

  // The keys of all lanes. While there was one only, its own; then it is the first to be numbered
  // over all, which leaves it the numbers that it has.
  private[this] var first: BlockLane[L] = _
  private[this] var keys: KeyNumbers = _
  private[this] val numbers = Array.fill(lanes)(JoinedLanes.None)
  private[this] val numbered = new Array[Int](lanes)

  /** For the window that is taken next; in the order of lanes. */
  def enter(lane: BlockLane[L]): Unit = present.add(lane)

  /** Takes the window from the lanes that have entered. */
  def take(index: Int, taken: TakenResults): Unit = if (!present.isEmpty) {
    if (first == null) first = present.get(0)
    if (present.size == 1 && keys == null) takeFirst(index, taken) else takeAll(index, taken)
    present.clear()
  }

  private[this] def takeFirst(index: Int, taken: TakenResults): Unit = {
    val count = first.length
    states.begin(index, count)
    states.add(first.states, count, null)
    states.end(first.all, taken)
  }

  private[this] def takeAll(index: Int, taken: TakenResults): Unit = {
    if (keys == null) {
      keys = new KeyNumbers(first.length)
      number(first)
    }
    present.forEach(number(_))
    states.begin(index, keys.length)
    present.forEach(lane => states.add(lane.states, numbered(lane.id), numbers(lane.id)))
    states.end(keys.all, taken)
  }

  /** Numbers those of the lane's keys that have come since this was last done. */
  private[this] def number(lane: BlockLane[L]): Unit = {
    val count = lane.length
    val all = lane.all
    if (numbers(lane.id).length < count)
      numbers(lane.id) = java.util.Arrays.copyOf(numbers(lane.id), 2 * count)
    val laneNumbers = numbers(lane.id)
    var i = numbered(lane.id)
    while (i < count) {
      laneNumbers(i) = keys.number(all(i), StateTable.hash(all(i)))
      i += 1
    }
    numbered(lane.id) = count
  }
}

private object JoinedLanes {
  private val None = new Array[Int](0)
}
