package io.scalegate.lookup

import io.scalegate.column.RadixOrder

/** A part of a window: rows that stand still, indexed. Nothing of it changes once it is made, so any number of
  * threads read it that it was published to safely.
  *
  * @param keys
  *   the i-th array holds the i-th attribute of every row, by the number that the index gives the row
  * @param rows
  *   what the caller keeps of them, by that number
  * @param time
  *   which of the attributes is the time
  */
final class WindowRun[A] private[scalegate] (
    val index: BandIndex,
    private[scalegate] val keys: IndexedSeq[Array[Long]],
    val rows: A,
    time: Int
) {
  private[this] val sample = WindowRun.sampleOf(keys(time))

  /** The numbers of the rows in the order of their times, made when it is asked for. */
  private[this] lazy val byTime: Array[Int] = RadixOrder.by(keys(time), Array.range(0, size))

  def size: Int = index.rows

  /** The least time of a row; the greatest number if there are no rows. */
  val earliest: Long = if (size == 0) Long.MaxValue else keys(time).min

  /** The greatest time of a row; the least number if there are no rows. */
  val latest: Long = if (size == 0) Long.MinValue else keys(time).max

  def timeOf(number: Int): Long = keys(time)(number)

  /** About how many rows have times above this one. */
  private[scalegate] def sizeAfter(bound: Long): Int =
    if (bound < earliest) size
    else if (bound >= latest) 0
    else {
      val gone = BandIndex.firstBeyond(sample, bound, 0, sample.length)
      ((sample.length - gone).toLong * size / sample.length).toInt
    }

  /** The numbers of the rows whose times lie above `after` and do not lie above `upTo`, in the order of their times.
    * What it takes is in proportion to them, but for the first call, which sorts.
    */
  def between(after: Long, upTo: Long): Iterator[Int] =
    if (after >= latest || upTo < earliest || after >= upTo) Iterator.empty
    else {
      val times = keys(time)
      var low = 0
      var high = byTime.length
      while (low < high) {
        val middle = (low + high) >>> 1
        if (times(byTime(middle)) <= after) low = middle + 1 else high = middle
      }
      Iterator.range(low, byTime.length).map(byTime(_)).takeWhile(times(_) <= upTo)
    }

  /** The same run with other rows kept. */
  def withRows(others: A): WindowRun[A] = new WindowRun(index, keys, others, time)
}

private object WindowRun {
  private val SampleRows = 256

  private def sampleOf(times: Array[Long]): Array[Long] = {
    val step = math.max(1, times.length / SampleRows)
    times.indices.by(step).map(times(_)).toArray.sorted
  }
}
