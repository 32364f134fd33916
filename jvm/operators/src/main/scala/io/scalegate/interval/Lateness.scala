package io.scalegate.interval

import io.scalegate.stream.StreamTuple

/** How far out of order a source's tuples may be.
  *
  * A source's watermark is the latest time that it has delivered, less the bound, or what it has
  * promised by `advance`, whichever is later. A tuple before the watermark is late: it is
  * counted, handed to `onLate`, and takes no part in the join. Which tuples are late depends on
  * their source's own order of delivery alone.
  *
  * @param bound
  *   in the unit of event times
  * @param onLate
  *   called by the source's thread. What it throws reaches the caller of the source and leaves
  *   the join as it is.
  */
final case class Lateness(bound: Long, onLate: StreamTuple => Unit = _ => ()) {
  require(bound >= 0, s"the bound of lateness is a length of time, 0 or more, not $bound")
}
