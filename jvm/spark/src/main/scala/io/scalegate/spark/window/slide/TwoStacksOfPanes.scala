package io.scalegate.spark.window.slide

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.window.partial.PaneMerging

/** The panes of a window that slides, and their merged result in at most two parts. Two stacks, after Tangwongsan,
  * Hirzel and Schneider's survey of sliding windows: a pane is merged twice in its life, however long the windows
  * are, and nothing is ever taken out of a result, so floating-point sums lose nothing to an inverse.
  *
  * {{{
  *   head             middle        tail
  *    | 1-4 | 2-4 | 3-4 |  5  |  6  |        back = 5-6
  * }}}
  *
  * A pane before `middle` holds the result of itself and of those up to `middle`; the panes from there on are as
  * they came, and `back` is their result. When `head` passes `middle`, what is left is merged from its end.
  *
  * Input contract: panes come in ascending order of their starts. For one thread.
  *
  * @param merging
  *   of results: what is held is merged where it lies, if it can be
  */
final private[scalegate] class TwoStacksOfPanes(merging: PaneMerging) {
  private[this] var starts = new Array[Long](TwoStacksOfPanes.Initial)
  private[this] var rows = new Array[UnsafeRow](TwoStacksOfPanes.Initial)
  private[this] var head = 0
  private[this] var middle = 0
  private[this] var tail = 0
  private[this] var back: UnsafeRow = _
  private[this] var mergeCount = 0L
  private[this] var most = 0
  private[this] var byteCount = 0L

  def isEmpty: Boolean = head == tail

  /** Merges since the beginning. */
  def merges: Long = mergeCount

  /** The largest number of panes held at once. */
  def peak: Int = most

  def size: Int = tail - head

  /** Of the results that are held. */
  def bytes: Long = byteCount + sizeOf(back)

  /** The result of the older part of the window; of all of it where there is no newer. Of a window that is not empty. */
  def older: UnsafeRow = if (head < middle) rows(head) else back

  /** The result of the rest, or null. */
  def newer: UnsafeRow = if (head < middle) back else null

  /** Keeps `row`, and may change it. */
  def push(start: Long, row: UnsafeRow): Unit = {
    if (tail == rows.length) makeRoom()
    starts(tail) = start
    rows(tail) = row
    byteCount += sizeOf(row)
    tail += 1
    back = if (back eq null) merging.changeable(row) else merged(back, row)
    most = math.max(most, size)
  }

  /** Forgets the panes that begin before `start`. */
  def evictBefore(start: Long): Unit = {
    while (head < tail && starts(head) < start) {
      byteCount -= sizeOf(rows(head))
      rows(head) = null
      head += 1
    }
    if (head > middle) flip()
  }

  /** Forgets all panes. */
  def clear(): Unit = {
    Arrays.fill(rows.asInstanceOf[Array[AnyRef]], head, tail, null)
    head = 0
    middle = 0
    tail = 0
    back = null
    byteCount = 0L
  }

  private[this] def flip(): Unit = {
    var i = tail - 2
    while (i >= head) {
      val through = merged(rows(i), rows(i + 1))
      byteCount += sizeOf(through) - sizeOf(rows(i))
      rows(i) = through
      i -= 1
    }
    middle = tail
    back = null
  }

  private[this] def sizeOf(row: UnsafeRow): Int = if (row eq null) 0 else row.getSizeInBytes

  private[this] def merged(older: UnsafeRow, newer: UnsafeRow): UnsafeRow = {
    mergeCount += 1
    merging.mergeInto(older, newer)
  }

  /** Moves the panes to the beginning of the arrays, and to larger ones where they fill more than half. */
  private[this] def makeRoom(): Unit = {
    val room = if (size > rows.length / 2) rows.length * 2 else rows.length
    starts = Arrays.copyOf(Arrays.copyOfRange(starts, head, tail), room)
    rows = Arrays.copyOf(Arrays.copyOfRange(rows, head, tail), room)
    middle -= head
    tail -= head
    head = 0
  }
}

private[scalegate] object TwoStacksOfPanes {
  private val Initial = 16
}
