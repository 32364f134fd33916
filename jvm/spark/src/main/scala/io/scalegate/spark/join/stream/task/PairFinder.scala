package io.scalegate.spark.join.stream.task

import org.apache.spark.sql.catalyst.expressions.{BasePredicate, JoinedRow, UnsafeRow}

import io.scalegate.lookup.{RowMarks, RunsLookup, WindowRun}
import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.stream.state.{StoredRows, StreamWindow}
import io.scalegate.stream.{Side, Sides}

/** Finds the pairs of new rows with others, for one thread: it changes nothing that another sees. A task has one for
  * each thread that looks for pairs.
  *
  * @param alone
  *   whether it finds all of the batch's pairs, each of which is marked before the next is asked for
  * @param accepts
  *   whether a pair within the bands is one of the join; all are if there is no such condition
  */
final private[scalegate] class PairFinder(
    sides: Sides[BatchSide],
    order: ProbeOrder,
    window: StreamWindow,
    probing: Probing,
    alone: Boolean,
    accepts: Option[BasePredicate]
) {
  private[this] val oneEach = !probing.pairs
  private[this] val inTurn = order.isInstanceOf[EventTimeOrder]
  private[this] val ofLeft = new SideFinder(sides.left, sides.right)
  private[this] val ofRight = new SideFinder(sides.right, sides.left)
  private[this] var current = ofLeft

  /** Rows that were tested against a probe so far. */
  def comparisons: Long = ofLeft.comparisons + ofRight.comparisons

  /** Begins the search for the row at this position. */
  def start(position: Int): Unit = {
    current = if (order.side(position) eq Side.R) ofLeft else ofRight
    current.start(order.number(position))
  }

  /** Moves to the next rows found for it, in one run, and gives how many they are; 0 when there are none. Where what
    * becomes of one decides on the next, it is one at a time.
    */
  def next(): Int = current.next()

  /** Which of the searched side's runs the rows found lie in: those held, then the new one. */
  def run: Int = current.run

  /** The number in that run of the k-th of them. */
  def number(k: Int): Int = current.number(k)

  /** Whether their numbers follow one another. */
  def isRange: Boolean = current.isRange

  /** Probe rows of one side, and the rows of the other that they find. */
  final private[this] class SideFinder(probes: BatchSide, searched: BatchSide) {
    private[this] val pair = new JoinedRow
    private[this] val condition = accepts.orNull
    private[this] val lookup: RunsLookup[StoredRows] =
      if (order.amongNew(probes.side) && probes.rows.size > 0 && searched.rows.size > 0)
        searched.held.window.lookup(searched.run)
      else searched.held.window.lookup()
    private[this] val candidates =
      if (inTurn) new EarlierRows(lookup, searched) else new AnyRows(lookup)
    private[this] val columns = probes.probeKeys.toArray
    private[this] val keys = new Array[Long](columns.length)
    private[this] val probe = new UnsafeRow(probes.input.output.length)
    private[this] val rows = new RowsOfRuns(searched)
    private[this] val found = new UnsafeRow(searched.input.output.length)
    // Of a row that is given for its first match, no other is needed.
    private[this] val once = oneEach && (searched.side eq probing.side)
    private[this] val ownOnce = oneEach && (probes.side eq probing.side)
    private[this] val seen = if (once && !alone) new SeenRows(searched) else null
    private[this] val isPlain = condition == null && !once && !ownOnce && !inTurn
    private[this] var open = false

    if (probes.side eq Side.R) pair(probe, found) else pair(found, probe)

    def comparisons: Long = lookup.comparisons
    def run: Int = candidates.run
    def number(k: Int): Int = if (isPlain) lookup.number(k) else candidates.number
    def isRange: Boolean = isPlain && lookup.isRange

    def start(probeNumber: Int): Unit = {
      open = !(ownOnce && alone && probes.hasMatched(probeNumber))
      if (open) {
        var i = 0
        while (i < keys.length) {
          keys(i) = columns(i)(probeNumber)
          i += 1
        }
        if (condition != null) probes.point(probe, probeNumber)
        lookup.start(keys)
        candidates.start(window.latestBefore(probes.side, keys(window.key)))
      }
    }

    def next(): Int =
      if (isPlain) lookup.nextSome()
      else if (nextMatch()) 1
      else 0

    private[this] def nextMatch(): Boolean = {
      var isMatch = false
      while (!isMatch && open) {
        open = candidates.next()
        isMatch = open && accepted()
      }
      if (isMatch && ownOnce) open = false
      isMatch
    }

    private[this] def accepted(): Boolean =
      !(once && isKnown) && satisfies && {
        if (seen != null) seen.add(run, candidates.number)
        true
      }

    private[this] def isKnown =
      if (alone) searched.hasMatched(run, candidates.number)
      else seen.contains(run, candidates.number)

    private[this] def satisfies = condition == null || {
      rows.inRun(run).point(found, candidates.number)
      condition.eval(pair)
    }
  }
}

/** The rows of a side that is searched, of one run after the other. One thread. */
final private class RowsOfRuns(side: BatchSide) {
  private[this] var run = -1
  private[this] var rows: StoredRows = _

  def inRun(run: Int): StoredRows = {
    if (run != this.run) {
      rows = side.rowsOf(run)
      this.run = run
    }
    rows
  }
}

/** What one thread has found of a side's rows, or what was found in batches before. */
final private[scalegate] class SeenRows(side: BatchSide) {
  private[this] val held = side.held.window.runs
  private[this] val seen = Array.fill(held.length + 1)(new RowMarks)

  def contains(run: Int, number: Int): Boolean =
    (run < held.length && held(run).rows.matched.contains(number)) || seen(run).contains(number)

  def add(run: Int, number: Int): Unit = seen(run).add(number)
}

/** The rows that a lookup finds. */
sealed private trait Candidates {

  /** @param latest
    *   the greatest position of a row that comes before the probe row
    */
  def start(latest: Long): Unit
  def next(): Boolean
  def run: Int
  def number: Int
}

/** All of them, as they are found. */
final private class AnyRows(lookup: RunsLookup[StoredRows]) extends Candidates {
  def start(latest: Long): Unit = ()
  def next(): Boolean = lookup.next()
  def run: Int = lookup.run
  def number: Int = lookup.number
}

/** Those that come before the probe row, by their positions and, where these are equal, by their columns. */
final private class EarlierRows(lookup: RunsLookup[StoredRows], searched: BatchSide)
    extends Candidates {
  import EarlierRows.Found

  private[this] var found = Array.empty[Found]
  private[this] var at = -1

  def start(latest: Long): Unit = {
    val all = Array.newBuilder[Found]
    while (lookup.next()) {
      val run: WindowRun[StoredRows] = lookup.current
      if (run.timeOf(lookup.number) <= latest)
        all += new Found(lookup.run, lookup.number, run.timeOf(lookup.number))
    }
    found = all.result()
    java.util.Arrays.sort(found, order)
    at = -1
  }

  def next(): Boolean = {
    at += 1
    at < found.length
  }

  def run: Int = found(at).run
  def number: Int = found(at).number

  private[this] val order: java.util.Comparator[Found] = (a, b) => {
    val byPosition = a.position.compareTo(b.position)
    if (byPosition != 0) byPosition else searched.rowOrder.compare(row(a), row(b))
  }

  private[this] def row(hit: Found): UnsafeRow = searched.rowsOf(hit.run).row(hit.number)
}

private object EarlierRows {
  final private class Found(val run: Int, val number: Int, val position: Long)
}
