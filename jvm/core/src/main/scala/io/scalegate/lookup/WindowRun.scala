package io.scalegate.lookup

/** A part of a window: rows that stand still, indexed. Nothing of it changes once it is made, so any number of
  * threads read it that it was published to safely.
  *
  * @param keys
  *   the i-th array holds the i-th attribute of every row, by the number that the index gives the row
  * @param rows
  *   what the caller keeps of them, by that number
  * @param times
  *   of the rows
  */
final class WindowRun[A] private[scalegate] (
    val index: BandIndex,
    private[scalegate] val keys: IndexedSeq[Array[Long]],
    val rows: A,
    times: RunTimes
) {
  def size: Int = index.rows

  /** The least time of a row; the greatest number if there are no rows. */
  def earliest: Long = times.earliest

  /** The greatest time of a row; the least number if there are no rows. */
  def latest: Long = times.latest

  def timeOf(number: Int): Long = times(number)

  /** About how many rows have times above this one. */
  private[scalegate] def sizeAfter(bound: Long): Int = times.sizeAfter(bound)

  /** The numbers of the rows whose times lie above `after` and do not lie above `upTo`, in the order of their times.
    * What it takes is in proportion to them, but for the first call, which sorts.
    */
  def between(after: Long, upTo: Long): Iterator[Int] = times.between(after, upTo)

  /** The number of the row of this time, where no two rows have the same; -1 if none has it. */
  private[scalegate] def numberAt(time: Long): Int = times.numberAt(time)

  /** The same run with other rows kept. */
  def withRows(others: A): WindowRun[A] = new WindowRun(index, keys, others, times)
}
