package io.scalegate.interval

import io.scalegate.stream.{EventOrder, StreamTuple}

/** One replica's part of one key's state buffer (PPOIJ §4): the tuples of one stream, sorted by
  * their window values, as columns. Found by binary search, added at the end or, when they come out of order,
  * where they belong; dropped from the front. One thread at a time.
  *
  * A window value is an event time or, for row-count windows, a number in the stream. Equal ones
  * lie in the order of [[io.scalegate.stream.EventOrder]].
  *
  * @param width
  *   the attributes beside the key, which are the second to the last of a tuple
  */
final private[interval] class KeyBuffer(width: Int) {
  /*
   * Rows lie in `[head, tail)` of every column, in one run: a search is one loop over one array.
   * When the end is reached, rows move to the front if at least half of the room is free, else
   * the room doubles; either way a row is moved a constant number of times on average. A row
   * that is out of order moves what lies behind it.
   *
   *      index   0   1   2   3   4   5   6   7
   *            [ -   -   r0  r1  r2  r3  -   - ]      head = 2, tail = 6
   */
  private[this] var head = 0
  private[this] var tail = 0
  private[this] var values = new Array[Long](KeyBuffer.FewRows)
  private[this] var rows = new Array[StreamTuple](KeyBuffer.FewRows)
  private[this] val columns = Array.fill(width)(new Array[Long](KeyBuffer.FewRows))

  def size: Int = tail - head

  def isEmpty: Boolean = tail == head

  /** The first row's index in the columns. */
  def first: Int = head

  def row(index: Int): StreamTuple = rows(index)

  /** The i-th attribute beside the key, by index. */
  def column(i: Int): Array[Long] = columns(i)

  def add(value: Long, t: StreamTuple): Unit = {
    if (tail == values.length) makeRoom()
    val at = if (isEmpty || isBefore(tail - 1, value, t)) tail else indexOf(value, t)
    if (at < tail) shiftFrom(at)
    values(at) = value
    rows(at) = t
    var i = 0
    while (i < width) {
      columns(i)(at) = t.attrs(i + 1)
      i += 1
    }
    tail += 1
  }

  /** Drops the rows whose window value is below `earliest`, and returns their number. */
  def expireBefore(earliest: Long): Int = {
    val from = head
    while (head < tail && values(head) < earliest) {
      rows(head) = null
      head += 1
    }
    val dropped = head - from
    if (head == tail) {
      head = 0
      tail = 0
    }
    dropped
  }

  /** The index of the first row whose window value is at least `value`; the end when there is none. */
  def indexFrom(value: Long): Int =
    if (head == tail || values(head) >= value) head
    else {
      var low = head + 1
      var high = tail
      while (low < high) {
        val middle = (low + high) >>> 1
        if (values(middle) < value) low = middle + 1 else high = middle
      }
      low
    }

  /** The index of the first row whose window value is above `value`; the end when there is none. */
  def indexAfter(value: Long): Int =
    if (head == tail || values(tail - 1) <= value) tail else indexFrom(value + 1)

  /** Where a row belongs that does not sort last by its window value alone. */
  private[this] def indexOf(value: Long, t: StreamTuple): Int = {
    var low = head
    var high = tail
    while (low < high) {
      val middle = (low + high) >>> 1
      if (isBefore(middle, value, t)) low = middle + 1 else high = middle
    }
    low
  }

  private[this] def isBefore(index: Int, value: Long, t: StreamTuple): Boolean =
    if (values(index) != value) values(index) < value
    else EventOrder.Tuples.compareTies(rows(index), t) < 0

  private[this] def shiftFrom(index: Int): Unit = {
    val n = tail - index
    System.arraycopy(values, index, values, index + 1, n)
    System.arraycopy(rows, index, rows, index + 1, n)
    columns.foreach(c => System.arraycopy(c, index, c, index + 1, n))
  }

  private[this] def makeRoom(): Unit = {
    val capacity = if (head >= values.length / 2) values.length else Math.multiplyExact(tail, 2)
    val n = size
    values = moved(values, new Array[Long](capacity), n)
    rows = moved(rows, new Array[StreamTuple](capacity), n)
    for (i <- columns.indices) columns(i) = moved(columns(i), new Array[Long](capacity), n)
    head = 0
    tail = n
  }

  private[this] def moved[A](from: A, to: A, n: Int): A = {
    System.arraycopy(from, head, to, 0, n)
    to
  }
}

private[interval] object KeyBuffer {
  private val FewRows = 8
}
