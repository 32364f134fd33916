package io.scalegate.stream

/** Which pairs of tuples a join considers, before any predicate. */
sealed trait Window

/** `r` and `s` are a candidate pair when `s.ts ∈ [r.ts + lower, r.ts + upper]`, both ends inclusive.
  *
  * Sums that leave the range of `Long` saturate: a bound beyond the last representable time is no bound.
  */
final case class TimeWindow(lower: Long, upper: Long) extends Window {
  require(
    lower <= upper,
    s"an empty window: lower bound $lower is above upper bound $upper; swap them"
  )

  /** The earliest time of the opposite stream that a tuple of `side` at `ts` may pair with. */
  def earliest(side: Side, ts: Long): Long =
    if (side eq Side.R) SaturatingMath.add(ts, lower)
    else SaturatingMath.subtract(ts, upper)

  /** The latest time of the opposite stream that a tuple of `side` at `ts` may pair with. */
  def latest(side: Side, ts: Long): Long =
    if (side eq Side.R) SaturatingMath.add(ts, upper)
    else SaturatingMath.subtract(ts, lower)

  /** Whether all that a tuple of `side` at `ts` may pair with lies beyond the same end of `Long`:
    * saturated, [[earliest]] and [[latest]] meet that end.
    */
  def isOutOfRange(side: Side, ts: Long): Boolean =
    if (side eq Side.R)
      (lower > 0 && ts > Long.MaxValue - lower) || (upper < 0 && ts < Long.MinValue - upper)
    else (upper < 0 && ts > Long.MaxValue + upper) || (lower > 0 && ts < Long.MinValue + lower)
}

object TimeWindow {

  /** ScaleJoin's and DP-Join's symmetric form: an `r` stays for `wr` time units, an `s` for `ws`. */
  def sliding(wr: Long, ws: Long): TimeWindow = {
    require(wr >= 0 && ws >= 0, s"window lengths cannot be negative: $wr, $ws")
    TimeWindow(-ws, wr)
  }
}

/** The later tuple of a pair, in the total order, meets the last tuples of the other stream: `rowsR` of R, or `rowsS`
  * of S. Where one is 0, its tuples are never the earlier ones.
  */
final case class CountWindow(rowsR: Long, rowsS: Long) extends Window {
  require(
    rowsR >= 0 && rowsS >= 0 && (rowsR > 0 || rowsS > 0),
    s"a row-count window holds a row of a side at least, and not less than none: $rowsR of R and $rowsS of S are no window"
  )

  /** Those of a side that are in its window. */
  def rows(side: Side): Long = if (side eq Side.R) rowsR else rowsS
}

object CountWindow {

  /** As many of either stream. */
  def apply(rows: Long): CountWindow = CountWindow(rows, rows)
}
