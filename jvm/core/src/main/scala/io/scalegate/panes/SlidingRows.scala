package io.scalegate.panes

import scala.collection.mutable

/** The rows of a window that slides along their times, and their merged state in at most two parts. Rows come in the
  * order of their times, and leave in it.
  *
  * It is [[TwoStacks]] on two levels: a window of `n` rows has about `√n` states, and its rows are kept in blocks of
  * about as many, which may lie anywhere, on disk, too. Each row is added to one state when it comes, and merged once
  * when its block becomes the oldest one and is read again; so a row costs the same however wide the window is, and
  * nothing is ever taken out of a state.
  *
  * {{{
  *    front                 closed                         open
  *    | 3-6 | 4-6 | 5-6 |   | 7-12 | 13-18 | 19-24 |   | 25-27 |
  *    a state for each row  a state for each block     one state
  * }}}
  *
  * A state of the front is that of a row and of all behind it in the front. When the last of them has been evicted, the
  * oldest block becomes the front, unless all of its rows are evicted with it: then it is not read.
  *
  * One thread.
  *
  * @param keepsLast
  *   whether the last row before the window stays in it while no row of the window has the time at which it begins:
  *   what was true when the window began
  * @param newBlock
  *   asked for the least number of rows that it should hold; gives it, and the number that it will
  */
final private[scalegate] class SlidingRows[R, S <: AnyRef](
    states: RowStates[R, S],
    keepsLast: Boolean,
    newBlock: Int => (RowBlock[R], Int)
) {
  import SlidingRows._

  private[this] val front = mutable.ArrayDeque.empty[Entry[S]]
  private[this] val blocks = mutable.ArrayDeque.empty[Block[R]] // the closed ones
  private[this] val closed = new TwoStacks(states) // their states, by their numbers
  private[this] var oldestNumber = 0L
  private[this] var open: Block[R] = _
  private[this] var openState: S = _
  private[this] var behind: S = _ // the state of all behind the front, once it was asked for
  private[this] var count = 0L
  private[this] var most = 0L
  private[this] var frontBytes = 0L
  private[this] var mergeCount = 0L

  /** Rows in the window, and the most that were. */
  def size: Long = count
  def peak: Long = most

  def isEmpty: Boolean = count == 0

  /** Merges of states so far. */
  def merges: Long = mergeCount + closed.merges

  /** The bytes of all states that are held. */
  def bytes: Long = frontBytes + closed.bytes + bytesOf(openState) + bytesOf(behind)

  /** The merged state of the older part of the rows; of all of them where there is no newer part. Not when empty. It
    * stays as it is.
    */
  def older: S = if (front.isEmpty) rest else front.head.state

  /** The merged state of the rest, or null. It stays as it is. */
  def newer: S = if (front.isEmpty) none else rest

  def push(row: R): Unit = {
    val time = states.timeOf(row)
    if (open eq null) begin(time)
    open.add(time, row)
    openState =
      if (openState eq null) states.stateOf(row) else states.addTo(openState, row)
    count += 1
    if (count > most) most = count
    behind = none
    if (open.count == open.capacity) close()
  }

  /** Forgets the rows before `start`. */
  def evictBefore(start: Long): Unit = {
    while (front.nonEmpty && leaves(front.head.time, start, afterFront(1))) {
      frontBytes -= bytesOf(front.removeHead().state)
      count -= 1
    }
    if (front.isEmpty) {
      while (blocks.nonEmpty && leaves(blocks.head.last, start, afterBlocks(1)))
        drop(removeOldest())
      if (blocks.nonEmpty) {
        if (blocks.head.first < start) load(removeOldest(), start)
      } else if ((open ne null) && open.first < start) {
        val block = open
        open = null
        openState = none
        behind = none
        if (leaves(block.last, start, None)) drop(block) else load(block, start)
      }
    }
  }

  /** Forgets all rows. */
  def clear(): Unit = {
    front.clear()
    blocks.foreach(_.rows.release())
    blocks.clear()
    closed.clear()
    if (open ne null) open.rows.release()
    open = null
    openState = none
    behind = none
    frontBytes = 0
    count = 0
  }

  private[this] def leaves(time: Long, start: Long, next: => Option[Long]): Boolean =
    time < start && (!keepsLast || next.exists(_ <= start))

  /** The time of the i-th row of the front, or of the first behind it. */
  private[this] def afterFront(i: Int): Option[Long] =
    if (front.size > i) Some(front(i).time) else afterBlocks(0)

  /** The time of the first row of the i-th block, or behind them. */
  private[this] def afterBlocks(i: Int): Option[Long] =
    if (blocks.size > i) Some(blocks(i).first) else Option(open).map(_.first)

  private[this] def begin(time: Long): Unit = {
    val (rows, capacity) = newBlock(math.max(FewRows, math.sqrt(count.toDouble).toInt))
    open = new Block(rows, capacity, time)
  }

  private[this] def close(): Unit = {
    closed.push(oldestNumber + blocks.size, openState)
    blocks += open
    open = null
    openState = none
  }

  private[this] def removeOldest(): Block[R] = {
    oldestNumber += 1
    closed.evictBefore(oldestNumber)
    behind = none
    blocks.removeHead()
  }

  private[this] def drop(block: Block[R]): Unit = {
    count -= block.count
    block.rows.release()
  }

  /** Makes the front of those of a block's rows that stay, of which there is one at least. */
  private[this] def load(block: Block[R], start: Long): Unit = {
    var kept: Entry[S] = null // the last row before the window
    block.rows.rows.foreach { row =>
      val time = states.timeOf(row)
      if (time >= start) {
        if ((kept ne null) && time > start) addToFront(kept)
        kept = null
        addToFront(new Entry(time, states.stateOf(row)))
      } else if (keepsLast) kept = new Entry(time, states.stateOf(row))
    }
    if ((kept ne null) && !afterFront(front.size).exists(_ <= start)) addToFront(kept)
    count -= block.count - front.size
    block.rows.release()
    var i = front.size - 2
    while (i >= 0) {
      front(i).state = merged(front(i).state, front(i + 1).state)
      i -= 1
    }
    frontBytes = front.iterator.map(entry => bytesOf(entry.state)).sum
  }

  private[this] def addToFront(entry: Entry[S]): Unit = front += entry

  /** The state of all rows behind the front; null where there are none. */
  private[this] def rest: S =
    if (closed.isEmpty) openState
    else if ((closed.newer eq null) && (openState eq null)) closed.older
    else {
      if (behind eq null) {
        behind = states.changeable(closed.older)
        if (closed.newer ne null) behind = merged(behind, closed.newer)
        if (openState ne null) behind = merged(behind, openState)
      }
      behind
    }

  private[this] def merged(older: S, newer: S): S = {
    mergeCount += 1
    states.mergeInto(older, newer)
  }

  private[this] def bytesOf(state: S): Long =
    if (state eq null) 0L else states.bytesOf(state).toLong

  private[this] def none: S = null.asInstanceOf[S]
}

private object SlidingRows {

  /** Of a block of a narrow window. */
  private val FewRows = 64

  final private class Entry[S](val time: Long, var state: S)

  /** Rows in the order of their times, from `first` to `last`. */
  final private class Block[R](val rows: RowBlock[R], val capacity: Int, val first: Long) {
    var last: Long = first
    var count = 0

    def add(time: Long, row: R): Unit = {
      rows.add(row)
      last = time
      count += 1
    }
  }
}
