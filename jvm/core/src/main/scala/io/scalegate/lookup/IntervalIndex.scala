package io.scalegate.lookup

import java.util.Arrays

import io.scalegate.column.RadixOrder

/** Rows that each hold for an interval of sortable integers, found by the intervals that overlap with them:
  * those that start at or before the other's end and end at or after its start. A point is the interval that
  * starts and ends there. With an equi key only rows of the same key are found.
  */
final class IntervalIndex private (
    keyed: Boolean,
    keys: Array[Long],
    runs: Array[Int],
    private[scalegate] val starts: Array[Long],
    private[scalegate] val ends: Array[Long],
    private[scalegate] val longer: Array[Int],
    private[scalegate] val latest: Array[Long],
    val order: Array[Int],
    private[scalegate] val probe: IntervalIndex.Probe
) extends RowIndex {
  /*
   * The rows of each key lie in the order of their starts. A search begins at the last row that starts early enough and
   * goes back. From a row that ends too early it jumps to the last one before it that ends later (`longer`): what lies
   * between ends no later, and so too early. Intervals that are short beside their number take few jumps; their number
   * is how deep they lie within each other.
   *
   * Where a search has jumped too often it goes on in a binary search tree without pointers: the root of a run is its
   * middle row, the run's halves are the subtrees. `latest` at a root is the largest end in its run, so a search passes
   * over every subtree whose intervals have all ended before it (Cormen et al., Introduction to Algorithms, on
   * augmenting search trees). So it visits O(log n + found) rows of any intervals.
   */
  def lookup(): RowLookup = new IntervalLookup(this, keyed)

  /** The number of a key's run, negative if there is none. */
  private[scalegate] def runOf(key: Long): Int = Arrays.binarySearch(keys, key)
  private[scalegate] def run(i: Int): Int = runs(i)
}

object IntervalIndex {

  /** Where a probe's interval lies among its attributes, behind the key.
    *
    * @param start
    *   which of them is the interval's start, as `end` is its end
    * @param invertedStart
    *   whether starts are compared in the opposite order, as `invertedEnd` says of ends; the index's rows are given so
    */
  final case class Probe(
      start: Int,
      end: Int,
      invertedStart: Boolean = false,
      invertedEnd: Boolean = false
  )

  /** @param keys
    *   the equi key of every row, if there is one
    * @param starts
    *   the first point of every row's interval
    * @param ends
    *   the last point of every row's interval; one that ends before it starts is found where both comparisons hold
    * @param probe
    *   where that of a probe is
    */
  def apply(
      keys: Option[Array[Long]],
      starts: Array[Long],
      ends: Array[Long],
      probe: Probe = Probe(0, 1)
  ): IntervalIndex = {
    val rows = starts.length
    require(
      ends.length == rows && keys.forall(_.length == rows),
      s"$rows intervals need as many ends and keys; there are ${ends.length} ends" +
        keys.fold("")(k => s" and ${k.length} keys")
    )
    val keyOf = keys.getOrElse(new Array[Long](rows))
    val byStart = RadixOrder.by(starts, Array.range(0, rows))
    val order = if (keys.isEmpty) byStart else RadixOrder.by(keyOf, byStart)
    val runs = RadixOrder.runs(keyOf, order)
    val endsInOrder = RadixOrder.inOrder(ends, order)
    val longer = new Array[Int](rows)
    val latest = new Array[Long](rows)
    for (i <- 0 until runs.length - 1) {
      link(endsInOrder, longer, runs(i), runs(i + 1))
      augment(endsInOrder, latest, runs(i), runs(i + 1))
    }
    new IntervalIndex(
      keys.nonEmpty,
      runs.dropRight(1).map(at => keyOf(order(at))),
      runs,
      RadixOrder.inOrder(starts, order),
      endsInOrder,
      longer,
      latest,
      order,
      probe
    )
  }

  /** The root of the run from `from` up to, and without, `until`. */
  private[scalegate] def root(from: Int, until: Int): Int = (from + until) >>> 1

  /** Of each row of a run the last one before it that ends later, or the one before the run. */
  private[this] def link(ends: Array[Long], longer: Array[Int], from: Int, until: Int): Unit = {
    var row = from
    while (row < until) {
      var before = row - 1
      while (before >= from && ends(before) <= ends(row)) before = longer(before)
      longer(row) = before
      row += 1
    }
  }

  private[this] def augment(ends: Array[Long], latest: Array[Long], from: Int, until: Int): Long =
    if (from == until) Long.MinValue
    else {
      val at = root(from, until)
      val below =
        math.max(augment(ends, latest, from, at), augment(ends, latest, at + 1, until))
      latest(at) = math.max(ends(at), below)
      latest(at)
    }
}

/** Attributes of a probe: the key, if the index has one, and its interval's start and end. */
final private class IntervalLookup(index: IntervalIndex, keyed: Boolean) extends RowLookup {
  private[this] val starts = index.starts
  private[this] val ends = index.ends
  private[this] val longer = index.longer
  private[this] val firstTerm = if (keyed) 1 else 0
  private[this] val startAt = firstTerm + index.probe.start
  private[this] val endAt = firstTerm + index.probe.end
  private[this] val startMask = if (index.probe.invertedStart) -1L else 0L
  private[this] val endMask = if (index.probe.invertedEnd) -1L else 0L
  private[this] var found = new Array[Int](16) // in the tree
  private[this] var count = 0
  private[this] var taken = 0
  private[this] var compared = 0L
  private[this] var low = 0L
  private[this] var high = 0L
  private[this] var from = 0 // the run's rows
  private[this] var until = 0
  private[this] var at = -1 // the next row to look at
  private[this] var jumps = 0

  def comparisons: Long = compared

  def start(keys: Array[Long]): Unit = {
    count = 0
    taken = 0
    jumps = 0
    low = keys(startAt) ^ startMask
    high = keys(endAt) ^ endMask
    val run = if (index.rows == 0) -1 else if (keyed) index.runOf(keys(0)) else 0
    if (run >= 0) {
      from = index.run(run)
      until = index.run(run + 1)
      at = BandIndex.firstBeyond(starts, high, from, until) - 1
    } else {
      from = 0
      at = -1
    }
  }

  def next(): Int = {
    var row = -1
    while (row < 0 && at >= from) {
      compared += 1
      if (ends(at) >= low) {
        row = at
        at -= 1
      } else if (jumps < IntervalLookup.MostJumps) {
        jumps += 1
        at = longer(at)
      } else {
        search(from, until, at)
        at = from - 1
      }
    }
    if (row < 0 && taken < count) {
      taken += 1
      row = found(taken - 1)
    }
    row
  }

  /** Finds those before `limit` in the tree. */
  private[this] def search(first: Int, end: Int, limit: Int): Unit =
    if (first < end && first < limit) {
      val root = IntervalIndex.root(first, end)
      compared += 1
      if (index.latest(root) >= low) {
        search(first, root, limit)
        if (root < limit) {
          if (ends(root) >= low) keep(root)
          search(root + 1, end, limit)
        }
      }
    }

  private[this] def keep(row: Int): Unit = {
    if (count == found.length) found = Arrays.copyOf(found, 2 * count)
    found(count) = row
    count += 1
  }
}

private object IntervalLookup {

  /** Jumps after which the rest of a run is searched in its tree, where each takes about as long as a jump. */
  val MostJumps = 32
}
