package io.scalegate.index

/** When a merge tree merges (PIM-Tree §3.2): when its mutable part holds `m × w` tuples.
  *
  * @param window
  *   `w`, the tuples that the window is expected to hold; where it turns out to hold more, what
  *   it held at the last merge counts. A lower bound will do for a window in time.
  * @param mergeRatio
  *   `m`, above 0 and at most 1. Small: many merges. Large: a large mutable part, whose searches
  *   and insertions are slower, and up to `m × w` expired tuples that still take room.
  */
final case class MergePolicy(window: Int, mergeRatio: Double) {
  if (window < 1)
    throw new IllegalArgumentException(
      s"the window of a merge tree is $window tuples; give the number of tuples that it is " +
        "expected to hold, at least 1"
    )
  if (!(mergeRatio > 0 && mergeRatio <= 1))
    throw new IllegalArgumentException(
      s"the merge ratio is $mergeRatio; give a number above 0 and at most 1, such as 0.125: the " +
        "share of the window that is inserted between two merges"
    )

  /** The size of the mutable part at which it is merged, when the immutable part holds `merged`
    * tuples.
    */
  private[index] def threshold(merged: Int): Int =
    math.max(1.0, mergeRatio * math.max(window, merged)).toInt

  override def toString: String = s"m=$mergeRatio"
}
