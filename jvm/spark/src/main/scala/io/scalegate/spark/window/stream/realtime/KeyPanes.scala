package io.scalegate.spark.window.stream.realtime

import java.util.{Arrays, TreeSet}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.panes.TwoStacks
import io.scalegate.spark.window.partial.PanePartials

/** The panes of one key that a window may still need, in the order of their starts. One thread, the task's. */
final private[realtime] class KeyPanes(val key: UnsafeRow, partials: PanePartials) {
  /*
   *   starts   | - | - | 10 | 20 | 30 | - |
   *                    ^ head       ^ end       those before `head` have been evicted
   */
  private[this] var starts = new Array[Long](KeyPanes.Few)
  private[this] var states = new Array[UnsafeRow](KeyPanes.Few)
  private[this] var changed = new Array[Boolean](KeyPanes.Few)
  private[this] var (head, end) = (0, 0)
  private[this] var pushed = 0 // the oldest so many are in `window`
  private[this] var merged = 0L

  /** Where the key stands in the calendar of [[LivePanes]]. */
  var due: Long = KeyPanes.Never

  /** The panes that have changed since the last update. */
  val touched: TreeSet[java.lang.Long] = new TreeSet

  /** The panes of the window that [[fill]] was called for last. */
  val window: TwoStacks[UnsafeRow] = new TwoStacks(partials)

  def size: Int = end - head
  def isEmpty: Boolean = head == end
  def oldest: Long = starts(head)
  def start(i: Int): Long = starts(head + i)
  def state(i: Int): UnsafeRow = states(head + i)
  def isChanged(i: Int): Boolean = changed(head + i)

  /** Merges of partial results so far. */
  def merges: Long = merged + window.merges

  /** Merges a partial result into its pane's; true if the pane is new. The result belongs to this object from now on. */
  def add(start: Long, partial: UnsafeRow, isChange: Boolean): Boolean = {
    val i = before(start)
    val isNew = i == size || starts(head + i) != start
    if (isNew) insert(i, start, partial)
    else {
      states(head + i) = partials.mergeInto(states(head + i), partial)
      merged += 1
    }
    changed(head + i) ||= isChange
    // The window holds copies, and has to be filled anew.
    if (i < pushed) {
      window.clear()
      pushed = 0
    }
    isNew
  }

  /** The number of panes that start before a time. */
  def before(start: Long): Int =
    if (isEmpty || starts(end - 1) < start) size
    else {
      val at = Arrays.binarySearch(starts, head, end, start)
      (if (at >= 0) at else -at - 1) - head
    }

  def hasBetween(from: Long, until: Long): Boolean = {
    val i = before(from)
    i < size && starts(head + i) < until
  }

  /** Lets go of the panes that start before a time; their bytes. */
  def evictBefore(start: Long): Long = {
    val gone = before(start)
    var bytes = 0L
    if (gone > 0) {
      for (i <- head until head + gone) {
        bytes += states(i).getSizeInBytes
        states(i) = null
      }
      head += gone
      pushed = math.max(0, pushed - gone)
      window.evictBefore(start)
    }
    bytes
  }

  /** Puts the panes into `window` that start before `until`, of those that are left. */
  def fill(until: Long): Unit =
    while (pushed < size && starts(head + pushed) < until) {
      window.push(starts(head + pushed), partials.changeable(states(head + pushed)))
      pushed += 1
    }

  /** Takes note that the store has them all. */
  def written(): Unit = Arrays.fill(changed, head, end, false)

  private[this] def insert(i: Int, start: Long, partial: UnsafeRow): Unit = {
    if (end == starts.length) makeRoom()
    val (at, behind) = (head + i, size - i)
    System.arraycopy(starts, at, starts, at + 1, behind)
    System.arraycopy(states, at, states, at + 1, behind)
    System.arraycopy(changed, at, changed, at + 1, behind)
    starts(at) = start
    states(at) = partial
    changed(at) = false
    end += 1
  }

  /** Moves the panes to the front where half of the room is free, or to twice the room. */
  private[this] def makeRoom(): Unit = {
    val room = if (2 * size <= starts.length) starts.length else 2 * starts.length
    val (n, from) = (size, head)
    val (toStarts, toStates, toChanged) =
      (new Array[Long](room), new Array[UnsafeRow](room), new Array[Boolean](room))
    System.arraycopy(starts, from, toStarts, 0, n)
    System.arraycopy(states, from, toStates, 0, n)
    System.arraycopy(changed, from, toChanged, 0, n)
    starts = toStarts
    states = toStates
    changed = toChanged
    head = 0
    end = n
  }
}

private[realtime] object KeyPanes {

  /** In no place of the calendar. */
  val Never: Long = Long.MaxValue

  private val Few = 4
}
