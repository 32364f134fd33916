package io.scalegate.indexjoin

import io.scalegate.stream.StreamTuple

/** A tuple in the work queue, what it searches, and what it found. */
final private[scalegate] class IndexJoinEntry {
  var tuple: StreamTuple = _

  /** Whether it is of stream R. */
  var isOfR = false

  /** Its own position in its window. */
  var position = 0L

  /** The boundaries in the opposite window, both inclusive: `t_e` and `t_l`. */
  var first = 0L
  var last = 0L

  /** The heads of the windows, below which this tuple and all after it do not search. */
  var headR = 0L
  var headS = 0L

  /** The earlier tuples of its results, in order. */
  var found = new Array[StreamTuple](4)
  var count = 0

  /** Set when the results are there. */
  @volatile var isCompleted = false

  /** Set when the tuple is in the index, too. */
  @volatile var isIndexed = false

  def add(earlier: StreamTuple): Unit = {
    if (count == found.length) found = java.util.Arrays.copyOf(found, count * 2)
    found(count) = earlier
    count += 1
  }

  /** Lets go of the tuples. */
  def clear(): Unit = {
    tuple = null
    if (found.length > IndexJoinEntry.Keep) found = new Array[StreamTuple](4)
    else java.util.Arrays.fill(found.asInstanceOf[Array[AnyRef]], 0, count, null)
    count = 0
  }
}

private[scalegate] object IndexJoinEntry {

  /** The results for which an entry keeps room. */
  val Keep = 256
}

/** The entries that a thread has been assigned: from `from` up to, and without, `until`. */
final private[scalegate] class IndexJoinTask {
  private[this] var first = 0L
  private[this] var end = 0L

  def from: Long = first

  def until: Long = end

  def size: Int = (end - first).toInt

  def set(from: Long, until: Long): Unit = {
    first = from
    end = until
  }
}
