package io.scalegate.aggregate

import io.scalegate.stream.{IdleStrategy, SlidingWindows, StreamTuple}

/** What an aggregate computes: a function of the tuples of each window and key (multiway
  * aggregation, §2).
  *
  * @param windows
  *   size and advance; at most [[AggregateSpec.MostWindows]] may hold a time
  * @param key
  *   the group-by key of a tuple; null is a key like others, and a constant groups nothing.
  *   Several attributes make one key as a tuple or a case class.
  * @param function
  *   called by several threads, for different states at a time
  * @param keyOrder
  *   the order of the keys within a window's results; none: any order, which may differ from run
  *   to run
  */
final case class AggregateSpec[K, S <: AnyRef, R](
    windows: SlidingWindows,
    key: StreamTuple => K,
    function: AggregateFunction[StreamTuple, S, R],
    keyOrder: Option[Ordering[K]] = None
) {
  require(
    windows.overlap <= AggregateSpec.MostWindows,
    s"${windows.overlap} windows of ${windows.size} every ${windows.advance} hold a time, and each " +
      s"has results: at most ${AggregateSpec.MostWindows} may; advance by more"
  )
}

object AggregateSpec {

  /** As many windows may hold a time. */
  val MostWindows = 100000L
}

/** What a running aggregate may hold, and how its own threads wait.
  *
  * @param inputCapacity
  *   tuples of one input that may wait to be processed
  * @param winsetCapacity
  *   winsets that may wait to be taken, or for an input that is behind, before others are told to
  *   wait; in the designs on a W-Hive
  * @param idle
  *   makes the waiting strategy of each of the aggregate's own threads
  */
final case class AggregateOptions(
    inputCapacity: Int = 4096,
    winsetCapacity: Int = 1024,
    idle: () => IdleStrategy = () => new IdleStrategy.Backoff()
)

/** The results of the windows of one time interval, for all keys that have tuples in it: a winset
  * (multiway aggregation, §2).
  *
  * @param start
  *   the windows' first time
  * @param end
  *   their last time
  */
final class WindowResults[K, R] private[aggregate] (
    val start: Long,
    val end: Long,
    keys: Array[AnyRef],
    values: Array[AnyRef]
) {
  def size: Int = keys.length
  def key(i: Int): K = keys(i).asInstanceOf[K]
  def value(i: Int): R = values(i).asInstanceOf[R]

  def toVector: Vector[(K, R)] = Vector.tabulate(size)(i => (key(i), value(i)))

  override def toString: String = s"[$start, $end]: ${toVector.mkString(", ")}"
}
