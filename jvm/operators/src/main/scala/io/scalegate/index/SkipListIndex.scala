package io.scalegate.index

import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{ConcurrentLinkedQueue, ConcurrentSkipListMap}

/** The index that one would build on `java.util.concurrent`: a `ConcurrentSkipListMap` ordered by
  * key and position, and a queue of what is to be removed when it expires. The comparator for
  * [[ConcurrentPimTree]]. Lock-free; a search goes once over the list, so of two tuples inserted
  * meanwhile, of one key even, it may see the later only. Unlike the trees it allocates for each
  * insertion and search.
  *
  * The queue holds tuples in the order of their insertion: one that was inserted before an
  * earlier one is removed, and hides the earlier from removal, until it expires itself. The
  * answers do not depend on that.
  */
final class SkipListIndex extends ConcurrentSlidingIndex {
  import SkipListIndex._

  private[this] val map = new ConcurrentSkipListMap[Entry, Entry]
  private[this] val arrivals = new ConcurrentLinkedQueue[Entry]
  private[this] val earliest = new AtomicLong(Long.MinValue)

  def name: String = "ConcurrentSkipListMap"

  def insert(key: Long, value: Int, position: Long): Unit = {
    val entry = new Entry(key, value, position)
    map.put(entry, entry)
    arrivals.add(entry)
    ()
  }

  def add(key: Long, value: Int, position: Long): Unit = insert(key, value, position)

  /** Never: there is nothing to merge. */
  def isMergeDue: Boolean = false

  def tryMerge(): Boolean = false

  def search(query: RangeQuery, out: PositionBuffer): Unit =
    if (query.lo <= query.hi) {
      val from = math.max(query.first, earliest.get)
      val found = map.tailMap(new Entry(query.lo, 0, Long.MinValue), true).keySet.iterator
      var entry = if (found.hasNext) found.next() else null
      while (entry != null && entry.key <= query.hi) {
        out.addTested(1)
        if (
          entry.value >= query.least && entry.value <= query.greatest &&
          entry.position >= from && entry.position <= query.last
        ) out.add(entry.position)
        entry = if (found.hasNext) found.next() else null
      }
    }

  def expireBefore(earliest: Long): Unit = {
    val bound = this.earliest.accumulateAndGet(earliest, math.max(_, _))
    var entry = arrivals.peek()
    while (entry != null && entry.position < bound) {
      if (arrivals.remove(entry)) map.remove(entry)
      entry = arrivals.peek()
    }
  }

  def size: Int = map.size

  /** An estimate: JVM layouts with compressed references, a quarter of the nodes with an index
    * node.
    */
  def memoryBytes: Long = size.toLong * (24 + 24 + 6 + 24)

  def clear(): Unit = {
    map.clear()
    arrivals.clear()
    earliest.set(Long.MinValue)
  }
}

private object SkipListIndex {
  final class Entry(val key: Long, val value: Int, val position: Long) extends Comparable[Entry] {
    def compareTo(other: Entry): Int =
      if (key != other.key) java.lang.Long.compare(key, other.key)
      else java.lang.Long.compare(position, other.position)
  }
}
