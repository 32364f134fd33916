package io.scalegate.bench.index

import io.scalegate.index.{ConcurrentSlidingIndex, PositionBuffer, RangeQuery}
import io.scalegate.stream.IdleStrategy

/** An index whose merges block: who comes while one runs waits for its end (PIM-Tree §4.2, what the
  * non-blocking merge is measured against). An operation that has begun goes on beside the merge,
  * which the index itself allows.
  */
final class BlockingMergeIndex(index: ConcurrentSlidingIndex) extends ConcurrentSlidingIndex {
  @volatile private[this] var merging = false

  def name: String = s"${index.name}, blocking merge"

  def insert(key: Long, value: Int, position: Long): Unit = {
    add(key, value, position)
    if (isMergeDue) {
      tryMerge()
      ()
    }
  }

  def add(key: Long, value: Int, position: Long): Unit = {
    if (merging) await()
    index.add(key, value, position)
  }

  def search(query: RangeQuery, out: PositionBuffer): Unit = {
    if (merging) await()
    index.search(query, out)
  }

  def isMergeDue: Boolean = index.isMergeDue

  def tryMerge(): Boolean = {
    merging = true
    try index.tryMerge()
    finally merging = false
  }

  def expireBefore(earliest: Long): Unit = index.expireBefore(earliest)

  def size: Int = index.size

  def memoryBytes: Long = index.memoryBytes

  def clear(): Unit = index.clear()

  private[this] def await(): Unit = {
    val idle = new IdleStrategy.Backoff()
    while (merging) idle.idle()
  }
}
