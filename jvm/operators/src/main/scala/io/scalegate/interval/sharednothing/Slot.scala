package io.scalegate.interval.sharednothing

import io.scalegate.interval.Keyed
import io.scalegate.stream.StreamTuple

/** Where an emitter collects the next batch for some replicas. One thread.
  *
  * @param key
  *   the key whose tuples it takes; of no meaning where it takes several
  */
final private[sharednothing] class Slot(val key: Long, val members: Array[Int]) extends Keyed {
  private[this] var tuples: Array[StreamTuple] = _
  private[this] var count = 0

  /** The emitter's watermark when the first tuple came. */
  var first: Long = 0

  /** The number of that tuple in the emitter's stream. */
  var opened: Long = 0

  /** The neighbours among the slots that have tuples. */
  var before: Slot = _
  var after: Slot = _

  def size: Int = count

  def add(t: StreamTuple, room: Int): Unit = {
    if (tuples == null) tuples = new Array[StreamTuple](room)
    tuples(count) = t
    count += 1
  }

  /** What it has, as a batch; it is empty then. */
  def take(stream: Int, floor: Long): Batch = {
    val batch = new Batch(stream, members, tuples, count, first, floor)
    tuples = null
    count = 0
    batch
  }
}

/** The slots that have tuples, in the order in which their first ones came. One thread. */
final private[sharednothing] class OpenSlots {
  private[this] val ends = new Slot(0, Array.empty)
  ends.before = ends
  ends.after = ends

  /** The slot whose first tuple is the oldest; null when there is none. */
  def oldest: Slot = next(ends)

  /** The one whose first tuple came next; null when there is none. */
  def next(slot: Slot): Slot = if (slot.after eq ends) null else slot.after

  def add(slot: Slot): Unit = {
    slot.before = ends.before
    slot.after = ends
    ends.before.after = slot
    ends.before = slot
  }

  def remove(slot: Slot): Unit = {
    slot.before.after = slot.after
    slot.after.before = slot.before
  }
}
