package io.scalegate.multiway.sequence

/** A session: the tuples from `start` to `end`, of which no two neighbours are `gap` or more
  * apart.
  *
  * @param end
  *   the time of the last one
  */
final case class Session[R](start: Long, end: Long, result: R)
