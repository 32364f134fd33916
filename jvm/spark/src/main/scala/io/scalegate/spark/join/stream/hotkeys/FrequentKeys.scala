package io.scalegate.spark.join.stream.hotkeys

import org.apache.datasketches.frequencies.{ErrorType, LongsSketch}

/** The frequent keys of some rows of one side, by their hashes.
  *
  * @param rows
  *   all that were counted
  * @param counts
  *   rows of each, at least
  */
final case class FrequentKeys(rows: Long, keys: Array[Int], counts: Array[Long])

/** Counts the keys of one task's rows, in memory that does not depend on how many there are. One thread. */
final private[scalegate] class KeyCounter {
  private[this] val sketch = new LongsSketch(KeyCounter.Room)

  def count(key: Int): Unit = sketch.update(key.toLong)

  def result: FrequentKeys = {
    val least = sketch.getStreamLength / KeyCounter.Least
    val found = sketch.getFrequentItems(least, ErrorType.NO_FALSE_POSITIVES)
    FrequentKeys(sketch.getStreamLength, found.map(_.getItem.toInt), found.map(_.getLowerBound))
  }
}

private[scalegate] object KeyCounter {

  /** A key's count is too low by no more than 3.5 of so many of the rows. */
  val Room = 1024

  /** Keys of fewer than one of so many rows are not told. */
  val Least = 512L
}
