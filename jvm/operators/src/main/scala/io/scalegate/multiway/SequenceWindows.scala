package io.scalegate.multiway

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
