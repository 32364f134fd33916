package io.scalegate.multiway

import io.scalegate.multiway.function.AggregateFunction
import io.scalegate.stream.StreamTuple

/** Windows that are cut along a key's own tuples (multiway aggregation, §2): which of them a tuple
  * falls into depends on those before it.
  */
sealed trait SequenceWindows

object SequenceWindows {

  /** After every `advance`-th of a key's tuples, one over its last `size`, or over all where there
    * are fewer. What is left over at the end makes none. A key's last `size` tuples' worth of
    * panes is kept until the aggregate is closed: here state grows with the keys that were ever
    * seen.
    */
  final case class Tuples(size: Long, advance: Long) extends SequenceWindows {
    require(size > 0, s"a window needs at least one tuple, not $size")
    require(advance > 0, s"a window's advance must be at least one tuple, not $advance")
  }

  /** A key's tuples of which no two neighbours are `gap` or more apart. The state is that of the
    * sessions still open.
    *
    * @param gap
    *   in the unit of the stream's times
    */
  final case class Sessions(gap: Long) extends SequenceWindows {
    require(gap > 0, s"a session's gap must be positive, not $gap")
  }
}

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
