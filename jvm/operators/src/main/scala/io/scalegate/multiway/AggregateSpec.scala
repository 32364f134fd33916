package io.scalegate.multiway

import io.scalegate.multiway.function.AggregateFunction
import io.scalegate.stream.{SlidingWindows, StreamTuple}

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
