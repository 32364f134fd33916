package io.scalegate.multiway

import io.scalegate.multiway.function.AggregateFunction
import io.scalegate.stream.StreamTuple

/** What an aggregate over such windows computes. There is a result for each window of each key: a
  * [[WindowResults]] of that key alone, from the time of the window's first tuple to that of its
  * last. They come in the order of the windows' last tuples, in the tuples' total order.
  *
  * @param key
  *   the group-by key of a tuple; null is a key like others, and a constant groups nothing
  * @param function
  *   called by several threads, for different states at a time
  */
final case class SequenceSpec[K, S <: AnyRef, R](
    windows: SequenceWindows,
    key: StreamTuple => K,
    function: AggregateFunction[StreamTuple, S, R]
)
