package io.scalegate.baseline

import java.util.concurrent.{ConcurrentHashMap, ConcurrentSkipListMap}
import java.util.{ArrayDeque, Collections, Iterator}

import io.scalegate.column.WindowLimitException
import io.scalegate.join.JoinSpec
import io.scalegate.stream.{Side, StreamTuple}

/** One joiner's rows of one stream, by key and, within a key, by their number in the stream: the
  * time-travel structure of Scale-OIJ (§IV-A). A reader starts where its window does, wherever the
  * writer is. One thread writes, any number read. The keys need no order, so they lie in a hash
  * table; the original has a skip list there too.
  */
final private[baseline] class TimeTravelBuffer {
  private[this] type Rows = ConcurrentSkipListMap[java.lang.Long, StreamTuple]

  private[this] val keys = new ConcurrentHashMap[java.lang.Long, Rows]

  def put(key: Long, number: Long, t: StreamTuple): Unit = {
    keys.computeIfAbsent(key, _ => new Rows).put(number, t)
    ()
  }

  /** The rows of the key whose numbers lie in `[first, until)`, oldest first. */
  def rows(key: Long, first: Long, until: Long): Iterator[StreamTuple] = {
    val rows = keys.get(key)
    if (rows == null) Collections.emptyIterator[StreamTuple]
    else rows.subMap(first, true, until, false).values.iterator
  }

  def remove(key: Long, number: Long): Unit = {
    val rows = keys.get(key)
    rows.remove(number)
    if (rows.isEmpty) keys.remove(key)
    ()
  }
}

/** A joiner's view of one stream: the window over all of it, and the rows that are the joiner's
  * own. One thread.
  */
final private[baseline] class OijShare(
    side: Side,
    spec: JoinSpec,
    buffer: TimeTravelBuffer,
    maxRows: Int
) {
  /*
   * A row goes from `inside` to `outside` when it leaves the window, and from there when every
   * joiner has read what came before that: `left` says how far the input was then.
   */
  val window: NumberedWindow = new NumberedWindow(side, spec, Vector.empty, Int.MaxValue)
  private[this] val inside = new ArrayDeque[OijRow]
  private[this] val outside = new ArrayDeque[OijRow]
  private[this] var kept = 0L
  private[this] var most = 0

  def stored: Long = kept

  def peak: Int = most

  /** Slides over `t` of this stream, and stores it if it is the joiner's own.
    *
    * @param read
    *   the tuples of the input that were read before it
    */
  def take(t: StreamTuple, key: Long, isMine: Boolean, read: Long): Unit = {
    val number = window.seen
    if (isMine && window.keeps) {
      leave(read)
      if (inside.size >= maxRows) throw new WindowLimitException(inside.size, maxRows)
      inside.add(new OijRow(key, number))
      buffer.put(key, number, t)
      kept += 1
      most = math.max(most, inside.size)
    }
    window.take(t)
    window.drop()
  }

  /** Removes the rows that no joiner reads any more.
    *
    * @param read
    *   the tuples of the input that this joiner has read
    * @param slowest
    *   those that the slowest joiner has read, and found the pairs of
    */
  def removeRead(read: Long, slowest: Long): Unit = {
    leave(read)
    while (!outside.isEmpty && outside.peek().left <= slowest) {
      val row = outside.poll()
      buffer.remove(row.key, row.number)
    }
  }

  private[this] def leave(read: Long): Unit =
    while (!inside.isEmpty && inside.peek().number < window.first) {
      val row = inside.poll()
      row.left = read + 1 // the tuple being read has its reach from after this
      outside.add(row)
    }
}

/** A row's place in its buffer. */
final private class OijRow(val key: Long, val number: Long) {

  /** Tuples of the input after which nobody looks for it. */
  var left = 0L
}

/** A tuple that a joiner is to find the pairs of.
  *
  * @param before
  *   the tuple or heartbeat before it in the input; null for the first
  * @param number
  *   its number in the input
  * @param first
  *   with `until`: the rows' numbers in the other stream
  * @param team
  *   the joiners that hold rows of its key
  */
final private[baseline] class OijProbe(
    val tuple: StreamTuple,
    val before: StreamTuple,
    val number: Long,
    val first: Long,
    val until: Long,
    val team: Vector[Int]
)
