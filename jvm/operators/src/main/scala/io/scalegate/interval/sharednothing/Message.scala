package io.scalegate.interval.sharednothing

import io.scalegate.interval.KeyCounts
import io.scalegate.stream.StreamTuple

/** What an emitter sends to replicas. Never changed once it was sent.
  *
  * @param members
  *   the replicas that get it
  * @param first
  *   no tuple in it, and none of the same key behind it, comes before this time
  * @param floor
  *   no message behind it on the same channel has a tuple before this time
  */
sealed abstract private[sharednothing] class Message(
    val members: Array[Int],
    val first: Long,
    val floor: Long
)

/** Tuples that share their replicas; where these are several, tuples of one key.
  *
  * @param stream
  *   the emitter's number
  * @param size
  *   how many of `tuples` it has
  */
final private[sharednothing] class Batch(
    val stream: Int,
    members: Array[Int],
    val tuples: Array[StreamTuple],
    val size: Int,
    first: Long,
    floor: Long
) extends Message(members, first, floor)

/** Nothing before `floor` comes from this emitter any more: all that did has been sent. To every
  * replica.
  */
final private[sharednothing] class Punctuation(members: Array[Int], floor: Long)
    extends Message(members, floor, floor)

/** Word of the floor alone, for a replica that has had no message for a while. */
final private[sharednothing] class Progress(members: Array[Int], floor: Long)
    extends Message(members, floor, floor)

/** The emitter's tuples have come to their end. To every replica. */
final private[sharednothing] class End(members: Array[Int])
    extends Message(members, Long.MaxValue, Long.MaxValue)

/** From here on the emitter sends by the plan. To every replica. */
final private[sharednothing] class Switch(members: Array[Int], val plan: SplitPlan, floor: Long)
    extends Message(members, floor, floor)

/** The keys that the emitter has sent while it was calibrated; the receiver's from then on. To the
  * master.
  */
final private[sharednothing] class Frequencies(
    members: Array[Int],
    val counts: KeyCounts,
    floor: Long
) extends Message(members, floor, floor)
