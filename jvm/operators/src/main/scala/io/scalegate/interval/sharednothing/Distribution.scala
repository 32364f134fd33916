package io.scalegate.interval.sharednothing

import io.scalegate.interval.{KeyCounts, KeyTable}
import io.scalegate.stream.{SpscRing, StreamTuple}

/** Which replicas an emitter sends a tuple to (PPOIJ Table 1). One thread at a time: the emitter's.
  */
abstract private[sharednothing] class Distribution {

  /** Where the tuple is collected. */
  def slot(t: StreamTuple): Slot

  /** Whether a replica gets nothing that is collected in another slot than that of its last batch:
    * then each batch brings it up to the emitter's watermark.
    */
  def isOneSlotEach: Boolean

  /** What is to be told the master, once; null for nothing.
    *
    * @param isLast
    *   whether no tuple follows
    */
  def frequencies(isLast: Boolean): KeyCounts = null

  /** A plan that has come and was not followed so far; null for none. From now on it is: what was collected
    * must have been sent.
    */
  def newPlan(): SplitPlan = null

  /** Whether [[newPlan]] has one. */
  def hasNewPlan: Boolean = false
}

/** KP-OIJ: a key's replica is its hash. */
final private[sharednothing] class PointToPoint(replicas: Int) extends Distribution {
  private[this] val slots = Array.tabulate(replicas)(j => new Slot(0, Array(j)))

  def slot(t: StreamTuple): Slot = slots(KeyTable.spread(t.attrs(0), replicas))

  def isOneSlotEach: Boolean = true
}

/** DP-OIJ: every replica gets every tuple. */
final private[sharednothing] class Broadcast(replicas: Int) extends Distribution {
  private[this] val one = new Slot(0, Array.range(0, replicas))

  def slot(t: StreamTuple): Slot = one

  def isOneSlotEach: Boolean = true
}

/** HP-OIJ: as KP, and the keys that a plan splits to all of their replicas. Until there is a plan it
  * counts keys. Only a key of several replicas has batches of its own, whose order these agree on;
  * the tuples of others share the batches of their replica, which needs no order.
  *
  * @param calibration
  *   tuples after which the frequencies are told
  * @param feedback
  *   where the plan comes from
  */
final private[sharednothing] class Multicast(
    replicas: Int,
    calibration: Int,
    feedback: SpscRing[SplitPlan]
) extends Distribution {
  private[this] val single = new PointToPoint(replicas)
  private[this] var counts = new KeyCounts
  private[this] var untilTold = calibration
  private[this] var splits: KeyTable[Slot] = _
  private[this] var planned = false

  def slot(t: StreamTuple): Slot = {
    if (counts != null) {
      counts.count(t)
      untilTold -= 1
    }
    val split = if (splits == null) null else splits.find(t.attrs(0))
    if (split == null) single.slot(t) else split
  }

  def isOneSlotEach: Boolean = splits == null

  override def frequencies(isLast: Boolean): KeyCounts =
    if (counts == null || (untilTold > 0 && !isLast)) null
    else {
      val told = counts
      counts = null
      told
    }

  override def hasNewPlan: Boolean = !planned && counts == null && feedback.peek() != null

  override def newPlan(): SplitPlan = {
    val plan = feedback.poll()
    planned = true
    if (plan.members.nonEmpty) {
      splits = new KeyTable[Slot](key => new Slot(key, plan.members(key)))
      plan.members.keysIterator.foreach(splits.entry)
    }
    plan
  }
}
