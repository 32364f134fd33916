package io.scalegate.index

/** What a search asks of a [[SlidingIndex]]: ranges of keys, of values and of positions. All bounds
  * are inclusive, and an empty range finds nothing. A new query asks for everything.
  *
  * A thread keeps one, and sets its ranges anew for each search. An index neither changes a query nor
  * keeps it. One thread at a time.
  */
final class RangeQuery {
  private[this] var leastKey = Long.MinValue
  private[this] var greatestKey = Long.MaxValue
  private[this] var leastValue = Int.MinValue
  private[this] var greatestValue = Int.MaxValue
  private[this] var firstPosition = Long.MinValue
  private[this] var lastPosition = Long.MaxValue

  def lo: Long = leastKey
  def hi: Long = greatestKey
  def least: Int = leastValue
  def greatest: Int = greatestValue
  def first: Long = firstPosition
  def last: Long = lastPosition

  /** Whether values are restricted. */
  private[index] def testsValues: Boolean =
    leastValue > Int.MinValue || greatestValue < Int.MaxValue

  def keys(lo: Long, hi: Long): RangeQuery = {
    leastKey = lo
    greatestKey = hi
    this
  }

  def values(least: Int, greatest: Int): RangeQuery = {
    leastValue = least
    greatestValue = greatest
    this
  }

  def positions(first: Long, last: Long): RangeQuery = {
    firstPosition = first
    lastPosition = last
    this
  }
}
