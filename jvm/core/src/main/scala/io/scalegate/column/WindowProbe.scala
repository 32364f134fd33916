package io.scalegate.column

/** Finds the rows of a window in columns whose attributes lie in a probe's ranges: the
  * candidates that only the residual predicate is left to decide. Keeps the last answer. One
  * thread at a time, the window's.
  */
final class WindowProbe private[scalegate] (window: RingColumns, kernel: RangeKernel) {
  /*
   * One band leads: the kernel runs over its whole column, and the others are tested on what it
   * lets through. The work goes in chunks, so that the buffer grows with the candidates and not
   * with the window, and so that a lead that lets much through is noticed: then the other bands
   * take a chunk in turn, and the most selective one goes on. Keeping to one column while it is
   * selective leaves the caches to it.
   *
   * With no band the answer is a run of rows, and the buffer is not written at all. A window of a
   * few rows is tested row by row.
   */
  import WindowProbe._

  def this(window: RingColumns) = this(window, RangeKernel.best)

  private[this] val bands = window.width
  private[this] val lo = new Array[Long](bands)
  private[this] val hi = new Array[Long](bands)
  private[this] val passRate = new Array[Double](bands)
  private[this] var lead = 0
  private[this] var slots = new Array[Int](16)
  private[this] var first = 0
  private[this] var compared = 0L

  /** The band that the next search runs over the whole window first. */
  private[scalegate] def leadingBand: Int = lead

  /** Rows that were tested so far. */
  def comparisons: Long = compared

  /** Searches the rows from the `from`-th oldest up to, and without, the `until`-th, and returns the number of
    * candidates.
    *
    * @param ranges
    *   the inclusive bounds, two for each attribute: the i-th lies in `[ranges(2i), ranges(2i +
    *   1)]`
    */
  def search(from: Int, until: Int, ranges: Array[Long]): Int = {
    val rows = until - from
    compared += rows
    first = from
    if (bands == 0) rows
    else if (rows == 0 || !clamp(ranges)) 0
    else if (rows <= FewRows) searchFew(from, until)
    else searchMany(from, until)
  }

  /** The slot of the last answer's k-th candidate, oldest first. Valid until the window changes.
    */
  def slot(k: Int): Int = if (bands == 0) window.slot(first + k) else slots(k)

  /** The row of the last answer's k-th candidate, oldest first. Valid until the window changes.
    */
  def row(k: Int): AnyRef = window.rowAt(slot(k))

  /** Brings the ranges into the columns' own number range; false when one of them is empty there.
    */
  private[this] def clamp(ranges: Array[Long]): Boolean = {
    var i = 0
    while (i < bands) {
      var least = ranges(2 * i)
      var greatest = ranges(2 * i + 1)
      if (window.ints(i) != null) {
        if (least < Int.MinValue) least = Int.MinValue.toLong
        if (greatest > Int.MaxValue) greatest = Int.MaxValue.toLong
      }
      if (least > greatest) return false
      lo(i) = least
      hi(i) = greatest
      i += 1
    }
    true
  }

  private[this] def searchFew(from: Int, until: Int): Int = {
    reserve(0, until - from)
    var n = 0
    var k = from
    while (k < until) {
      val at = window.slot(k)
      if (accepts(at)) {
        slots(n) = at
        n += 1
      }
      k += 1
    }
    n
  }

  private[this] def accepts(at: Int): Boolean = {
    var i = 0
    while (i < bands) {
      val ints = window.ints(i)
      val v = if (ints != null) ints(at).toLong else window.longs(i)(at)
      if (v < lo(i) || v > hi(i)) return false
      i += 1
    }
    true
  }

  private[this] def searchMany(from: Int, until: Int): Int = {
    val wrapped = window.capacity - window.head // the first row that lies in slot 0 again
    val n =
      searchSlots(
        window.head + math.min(from, wrapped),
        window.head + math.min(until, wrapped),
        0
      )
    searchSlots(math.max(from - wrapped, 0), math.max(until - wrapped, 0), n)
  }

  private[this] def searchSlots(from: Int, until: Int, count: Int): Int = {
    var n = count
    var k = from
    while (k < until) {
      val end = if (until - k < Chunk) until else k + Chunk
      reserve(n, end - k)
      val passed = select(lead, k, end, n)
      val last = if (passed > n && bands > 1) refineAll(n, passed) else passed
      if (bands > 1) adapt(passed - n, end - k)
      n = last
      k = end
    }
    n
  }

  private[this] def select(i: Int, from: Int, until: Int, count: Int): Int = {
    val ints = window.ints(i)
    if (ints != null) kernel.select(ints, from, until, lo(i).toInt, hi(i).toInt, slots, count)
    else kernel.select(window.longs(i), from, until, lo(i), hi(i), slots, count)
  }

  private[this] def refineAll(first: Int, count: Int): Int = {
    var n = count
    var i = 0
    while (i < bands && n > first) {
      if (i != lead) {
        val ints = window.ints(i)
        n =
          if (ints != null) kernel.refine(ints, lo(i).toInt, hi(i).toInt, slots, first, n)
          else kernel.refine(window.longs(i), lo(i), hi(i), slots, first, n)
      }
      i += 1
    }
    n
  }

  /** Chooses the next chunk's lead, knowing that this one let `passed` of `rows` rows through. */
  private[this] def adapt(passed: Int, rows: Int): Unit = {
    val seen = passRate(lead)
    val now = passed.toDouble / rows
    passRate(lead) = if (seen == 0) now else seen + (now - seen) / 16
    if (passRate(lead) > Unselective) {
      var i = 0
      while (i < bands) {
        if (passRate(i) * 2 < passRate(lead)) lead = i // a band that never led has rate 0
        i += 1
      }
    }
  }

  private[this] def reserve(count: Int, more: Int): Unit =
    if (slots.length - count < more)
      slots = java.util.Arrays.copyOf(slots, math.max(count + more, slots.length * 2))
}

private[scalegate] object WindowProbe {

  /** Up to here a call to the kernel costs more than it saves. */
  private val FewRows = 16

  private val Chunk = 8192

  /** From this share of rows on, testing the candidates costs as much as finding them. */
  private val Unselective = 1.0 / 64
}
