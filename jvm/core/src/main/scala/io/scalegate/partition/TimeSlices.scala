package io.scalegate.partition

import java.util.Arrays

/** Cuts the rows of the keys that are too frequent for one task along their times, so that several tasks share the work
  * of a key: each row lies in one slice, and a key's slices are in the order of their times. A key that is not cut is
  * its own cell's name.
  *
  * @param hot
  *   the keys that are cut, each once, with the ids of its slices' cells
  * @param cuts
  *   of each of them the least time of each slice but the first, rising
  */
final class TimeSlices(hot: IndexedSeq[HotKey], cuts: IndexedSeq[Array[Long]])
    extends Serializable {
  private[this] val order = hot.indices.sortBy(hot(_).key).toArray
  private[this] val keys = order.map(hot(_).key)
  private[this] val cells = order.map(hot(_).cells)
  private[this] val starts = order.map(cuts(_))

  require(keys.distinct.length == keys.length, "a key can be cut in one way only")
  require(
    order.indices.forall(i => cells(i).length == starts(i).length + 1),
    "a key has a slice before each cut, and one after the last"
  )
  require(
    starts.forall(times => times.sliding(2).forall(pair => pair.length < 2 || pair(0) < pair(1))),
    "cuts rise"
  )

  /** How many keys are cut. */
  def size: Int = keys.length

  /** The place among these keys of one; negative for one that is not cut. */
  def indexOf(key: Long): Int = Arrays.binarySearch(keys, key)

  def slices(index: Int): Int = cells(index).length

  /** The slice of a key's rows of a time. */
  def sliceOf(index: Int, time: Long): Int = {
    val at = Arrays.binarySearch(starts(index), time)
    if (at >= 0) at + 1 else -at - 1
  }

  def cell(index: Int, slice: Int): Long = cells(index)(slice)
}

object TimeSlices {

  /** Cuts that leave about as many rows in each of so many slices, fewer where many rows have one time.
    *
    * @param times
    *   of a sample of rows, rising
    * @param weights
    *   how many rows each stands for
    */
  def cuts(times: Array[Long], weights: Array[Double], slices: Int): Array[Long] = {
    val total = weights.sum
    val found = Array.newBuilder[Long]
    var last = if (times.isEmpty) 0L else times.head
    var seen = 0.0
    var next = 1
    for (i <- times.indices) {
      if (next < slices && seen >= total * next / slices) {
        if (times(i) > last) {
          found += times(i)
          last = times(i)
          while (next < slices && seen >= total * next / slices) next += 1
        }
      }
      seen += weights(i)
    }
    found.result()
  }
}
