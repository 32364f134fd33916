package io.scalegate.spark.streaming

import org.apache.spark.sql.catalyst.expressions.{BasePredicate, JoinedRow, UnsafeRow}

import io.scalegate.join.{RunsLookup, WindowRun}
import io.scalegate.spark.exec.Probing
import io.scalegate.stream.Side

/** The pairs of a batch, one after the other. One thread. */
private[streaming] trait StreamSearch {

  /** Moves to the next pair that is a row of the join; false when there is none. */
  def advance(): Boolean

  /** Rows that were tested against a probe so far. */
  def comparisons: Long
}

/** New rows of one side that look for rows of the other.
  *
  * @param withNew
  *   whether among those of this batch too
  * @param pair
  *   is made to hold the two
  */
final private class StreamProbe(
    val probes: NewSide,
    val searched: NewSide,
    withNew: Boolean,
    probing: Probing,
    accepts: Option[BasePredicate],
    pair: JoinedRow
) {
  private[this] val condition = accepts.orNull
  private[this] val lookup: RunsLookup[StoredRows] =
    if (withNew && probes.rows.size > 0 && searched.rows.size > 0)
      searched.held.window.lookup(searched.run)
    else searched.held.window.lookup()
  private[this] val probe = new UnsafeRow(probes.input.output.length)
  private[this] val found = new UnsafeRow(searched.input.output.length)
  private[this] val columns = probes.rows.keys.toArray
  private[this] val keys = new Array[Long](columns.length)
  private[this] val oneEach = !probing.pairs
  private[this] val oneOfProbes = oneEach && (probes.side eq probing.side)
  private[this] var place = -1

  /** Begins the search for the new row of this place; false if it asks for nothing. */
  def start(place: Int): Boolean = {
    this.place = place
    var i = 0
    while (i < keys.length) {
      keys(i) = columns(i)(place)
      i += 1
    }
    lookup.start(keys)
    probes.point(probe, place)
    if (probes.side eq Side.R) pair(probe, found) else pair(found, probe)
    wantsMore
  }

  /** Moves to the next row found. */
  def next(): Boolean = lookup.next()

  def run: WindowRun[StoredRows] = lookup.current
  def runNumber: Int = lookup.run
  def number: Int = lookup.number

  /** Whether the new row and this one are a row of the join. */
  def isRow(run: WindowRun[StoredRows], runNumber: Int, number: Int): Boolean =
    isWanted(runNumber, number) && {
      run.rows.point(found, number)
      condition == null || condition.eval(pair)
    } && {
      if (probes.input.decided) probes.mark(place)
      if (searched.input.decided) searched.mark(runNumber, number)
      probing.pairs || !probing.unmatched
    }

  /** Whether it matters what else the new row matches. */
  def wantsMore: Boolean = !(oneOfProbes && probes.hasMatched(place))

  /** A row that is given for its first match needs no second. */
  private[this] def isWanted(runNumber: Int, number: Int): Boolean =
    !oneEach || oneOfProbes || !searched.hasMatched(runNumber, number)

  def comparisons: Long = lookup.comparisons
}

/** The pairs of a side's new rows with rows of the other side, as they are found. Each pair of a batch is found once: the
  * new rows of one side look among the other side's old and new ones, then those of the other among this one's old ones.
  *
  * @param withNew
  *   whether among those of this batch too
  */
final private[streaming] class PairSearch(
    probes: NewSide,
    searched: NewSide,
    withNew: Boolean,
    probing: Probing,
    accepts: Option[BasePredicate],
    pair: JoinedRow
) extends StreamSearch {
  private[this] val probe =
    new StreamProbe(probes, searched, withNew, probing, accepts, pair)
  private[this] val count = probes.rows.size
  private[this] var place = -1
  private[this] var open = false

  def comparisons: Long = probe.comparisons

  def advance(): Boolean = {
    var more = false
    while (!more && (open || begin()))
      if (!probe.next()) open = false
      else {
        more = probe.isRow(probe.run, probe.runNumber, probe.number)
        open = probe.wantsMore
      }
    more
  }

  private[this] def begin(): Boolean = {
    place += 1
    while (place < count && !probe.start(place)) place += 1
    open = place < count
    open
  }
}

/** The pairs of a batch in the order of (later row, earlier row): rows are ordered by their times, those of equal times
  * by side, left first, and then by their bytes. Every row of the batch in turn looks for the rows before it.
  */
final private[streaming] class OrderedSearch(
    left: NewSide,
    right: NewSide,
    probing: Probing,
    accepts: Option[BasePredicate],
    pair: JoinedRow
) extends StreamSearch {
  private[this] val ofLeft = new StreamProbe(left, right, true, probing, accepts, pair)
  private[this] val ofRight = new StreamProbe(right, left, true, probing, accepts, pair)
  private[this] var nextLeft = 0
  private[this] var nextRight = 0
  private[this] var probe: StreamProbe = ofLeft
  private[this] var found = Array.empty[OrderedSearch.Found]
  private[this] var taken = 0

  def comparisons: Long = ofLeft.comparisons + ofRight.comparisons

  def advance(): Boolean = {
    var more = false
    while (!more && (taken < found.length || begin()))
      if (!probe.wantsMore) taken = found.length
      else {
        val row = found(taken)
        taken += 1
        more = probe.isRow(row.run, row.runNumber, row.number)
      }
    more
  }

  /** Takes the next row that has any before it within reach. */
  private[this] def begin(): Boolean = {
    found = Array.empty
    taken = 0
    while (found.isEmpty && (nextLeft < left.rows.size || nextRight < right.rows.size)) take()
    found.nonEmpty
  }

  private[this] def take(): Unit = {
    val leftFirst = nextRight >= right.rows.size || (nextLeft < left.rows.size &&
      left.rows.timeOf(nextLeft) <= right.rows.timeOf(nextRight))
    probe = if (leftFirst) ofLeft else ofRight
    val place = if (leftFirst) nextLeft else nextRight
    if (leftFirst) nextLeft += 1 else nextRight += 1
    val time = probe.probes.rows.timeOf(place)
    // A left row comes before the right ones of its time.
    val latest = if (leftFirst) time - 1 else time
    if (probe.start(place)) found = before(latest)
  }

  private[this] def before(latest: Long): Array[OrderedSearch.Found] = {
    val all = Array.newBuilder[OrderedSearch.Found]
    while (probe.next())
      if (probe.run.timeOf(probe.number) <= latest)
        all += new OrderedSearch.Found(probe.run, probe.runNumber, probe.number)
    val sorted = all.result()
    java.util.Arrays.sort(sorted, order)
    sorted
  }

  private[this] val order = new OrderedSearch.Order
}

private object OrderedSearch {
  final private class Found(
      val run: WindowRun[StoredRows],
      val runNumber: Int,
      val number: Int
  )

  /** By their times and bytes. */
  final private class Order extends java.util.Comparator[Found] {
    def compare(a: Found, b: Found): Int = {
      val byTime = a.run.timeOf(a.number).compareTo(b.run.timeOf(b.number))
      if (byTime != 0) byTime else RowBatch.compare(row(a), row(b))
    }

    private[this] def row(of: Found) = of.run.rows.row(of.number)
  }
}
