package io.scalegate.lookup

import io.scalegate.column.RadixOrder

/** The times of a run's rows, by their numbers. Nothing of it changes once it is made; any thread. */
final private[scalegate] class RunTimes(times: Array[Long]) {
  import RunTimes._

  private[this] val sample = sampleOf(times)

  /** The numbers of the rows in the order of their times, made when it is asked for. */
  private[this] lazy val byTime = RadixOrder.by(times, Array.range(0, size))

  private[this] def size = times.length

  private[this] var least = Long.MaxValue
  private[this] var greatest = Long.MinValue
  findBounds()

  /** The least time; the greatest number if there are no rows. */
  def earliest: Long = least

  /** The greatest time; the least number if there are no rows. */
  def latest: Long = greatest

  def apply(number: Int): Long = times(number)

  /** About how many lie above this one. */
  def sizeAfter(bound: Long): Int =
    if (bound < least) size
    else if (bound >= greatest) 0
    else {
      val gone = BandIndex.firstBeyond(sample, bound, 0, sample.length)
      ((sample.length - gone).toLong * size / sample.length).toInt
    }

  /** The numbers of the rows whose times lie above `after` and do not lie above `upTo`, in the order of their times.
    * What it takes is in proportion to them, but for the first call, which sorts.
    */
  def between(after: Long, upTo: Long): Iterator[Int] =
    if (after >= greatest || upTo < least || after >= upTo) Iterator.empty
    else
      Iterator.range(firstAfter(after), byTime.length).map(byTime(_)).takeWhile(times(_) <= upTo)

  /** The number of the row of this time, which one row alone has; -1 if none has it. */
  def numberAt(time: Long): Int =
    if (time < least || time > greatest) -1
    else {
      val number = byTime(firstAfter(time - 1))
      if (times(number) == time) number else -1
    }

  /** Where in the order of their times the rows begin whose times lie above this one. */
  private[this] def firstAfter(bound: Long) = {
    var low = 0
    var high = byTime.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (times(byTime(middle)) <= bound) low = middle + 1 else high = middle
    }
    low
  }

  private[this] def findBounds(): Unit = {
    var i = 0
    while (i < times.length) {
      least = math.min(least, times(i))
      greatest = math.max(greatest, times(i))
      i += 1
    }
  }
}

private object RunTimes {
  private val SampleRows = 256

  private def sampleOf(times: Array[Long]): Array[Long] = {
    val step = math.max(1, times.length / SampleRows)
    times.indices.by(step).map(times(_)).toArray.sorted
  }
}
