package io.scalegate.lookup

import io.scalegate.stream.Side

/** Two comparisons that hold of a left and a right row, each between one attribute of either: what of each the left row
  * has to be, at most or at least the right one's. Intervals overlap where the one's start is at most the other's end and
  * its end at least the other's start.
  *
  * @param leftAtMost
  *   whether the left row's first attribute is at most the right one's, and whether its second is; at least, if not
  */
final case class Inequalities(leftAtMost: (Boolean, Boolean)) {

  /** An index of one side's rows, of which a row of the other side, with its own two attributes, finds those that satisfy
    * both.
    *
    * @param side
    *   whose rows are indexed
    * @param keys
    *   the equi key of every row, if there is one; a probe's comes before its attributes
    * @param first
    *   the first attribute of every row, as a sortable integer, as `second` is the other one
    */
  def index(
      side: Side,
      keys: Option[Array[Long]],
      first: Array[Long],
      second: Array[Long]
  ): IntervalIndex = {
    val isLeft = side eq Side.R
    // A row is found that starts at most at the probe's end, and ends at least at its start.
    (leftAtMost._1 == isLeft, leftAtMost._2 == isLeft) match {
      case (true, false) => IntervalIndex(keys, first, second, IntervalIndex.Probe(1, 0))
      case (false, true) => IntervalIndex(keys, second, first, IntervalIndex.Probe(0, 1))
      case (true, true) =>
        IntervalIndex(
          keys,
          first,
          inverted(second),
          IntervalIndex.Probe(1, 0, invertedStart = true)
        )
      case (false, false) =>
        IntervalIndex(
          keys,
          inverted(first),
          second,
          IntervalIndex.Probe(1, 0, invertedEnd = true)
        )
    }
  }

  /** In the opposite order. */
  private[this] def inverted(values: Array[Long]): Array[Long] = values.map(~_)
}
