package io.scalegate.interval

import io.scalegate.stream.{EventOrder, StreamTuple}

/** One replica's part of one key's state buffer (PPOIJ §4): the tuples of one stream, sorted by
  * place, as columns. Found by binary search, added at the end or, when they come out of order,
  * where they belong; dropped from the front. One thread at a time.
  *
  * A place is an event time or, for row-count windows, a number in the stream. Equal places lie
  * in the order of [[io.scalegate.stream.EventOrder]].
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
  private[this] var places = new Array[Long](KeyBuffer.FewRows)
  private[this] var rows = new Array[StreamTuple](KeyBuffer.FewRows)
  private[this] val columns = Array.fill(width)(new Array[Long](KeyBuffer.FewRows))

  def size: Int = tail - head

  def isEmpty: Boolean = tail == head

  /** The first row's index in the columns. */
  def first: Int = head

  def row(index: Int): StreamTuple = rows(index)

  /** The i-th attribute beside the key, by index. */
  def column(i: Int): Array[Long] = columns(i)

  def add(place: Long, t: StreamTuple): Unit = {
    if (tail == places.length) makeRoom()
    val at = if (isEmpty || isBefore(tail - 1, place, t)) tail else indexOf(place, t)
    if (at < tail) shiftFrom(at)
    places(at) = place
    rows(at) = t
    var i = 0
    while (i < width) {
      columns(i)(at) = t.attrs(i + 1)
      i += 1
    }
    tail += 1
  }

  /** Drops the rows whose place is below `earliest`, and returns their number. */
  def expireBefore(earliest: Long): Int = {
    val from = head
    while (head < tail && places(head) < earliest) {
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

  /** The index of the first row whose place is at least `place`; the end when there is none. */
  def indexFrom(place: Long): Int =
    if (head == tail || places(head) >= place) head
    else {
      var low = head + 1
      var high = tail
      while (low < high) {
        val middle = (low + high) >>> 1
        if (places(middle) < place) low = middle + 1 else high = middle
      }
      low
    }

  /** The index of the first row whose place is above `place`; the end when there is none. */
  def indexAfter(place: Long): Int =
    if (head == tail || places(tail - 1) <= place) tail else indexFrom(place + 1)

  /** Where a row belongs that does not sort last by its place alone. */
  private[this] def indexOf(place: Long, t: StreamTuple): Int = {
    var low = head
    var high = tail
    while (low < high) {
      val middle = (low + high) >>> 1
      if (isBefore(middle, place, t)) low = middle + 1 else high = middle
    }
    low
  }

  private[this] def isBefore(index: Int, place: Long, t: StreamTuple): Boolean =
    if (places(index) != place) places(index) < place
    else EventOrder.Tuples.compareTies(rows(index), t) < 0

  private[this] def shiftFrom(index: Int): Unit = {
    val n = tail - index
    System.arraycopy(places, index, places, index + 1, n)
    System.arraycopy(rows, index, rows, index + 1, n)
    columns.foreach(c => System.arraycopy(c, index, c, index + 1, n))
  }

  private[this] def makeRoom(): Unit = {
    val capacity = if (head >= places.length / 2) places.length else Math.multiplyExact(tail, 2)
    val n = size
    places = moved(places, new Array[Long](capacity), n)
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
