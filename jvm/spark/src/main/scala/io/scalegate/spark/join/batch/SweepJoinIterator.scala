package io.scalegate.spark.join.batch

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.scalegate.SpillableRows

import io.scalegate.band.Band
import io.scalegate.lookup.{BuildRows, WindowSweep}
import io.scalegate.spark.join.{PairTest, ProbeJoinIterator}
import io.scalegate.spark.rows.{RowSize, WindowMemory}

/** Joins the sorted rows of one key with the core's window sweep: each probe row searches the window of build rows.
  *
  * One thread, the task's. It holds the window, for which `keep` reserves memory.
  *
  * @param bands
  *   the first bounds the attribute that both sides are sorted by
  * @param keep
  *   is told the rows and bytes of the window as it grows, and may refuse. Then there are no more pairs, and the rows
  *   that are left can be taken by [[keepBuild]] and [[probesLeft]]
  */
final class SweepJoinIterator(
    pairs: PairTest,
    probes: SortedSide,
    build: SortedSide,
    bands: IndexedSeq[Band],
    keep: WindowMemory
) extends ProbeJoinIterator(pairs) {
  private[this] val further = bands.tail
  private[this] val sweep = new WindowSweep(further.map(_.attribute))
  private[this] val ranges = new Array[Long](2 * further.length)
  private[this] var buildLeft = false // the build side stands on a row not yet used
  private[this] var candidates = 0
  private[this] var taken = 0
  private[this] var stuck = false // the probe side stands on a row whose window has no room
  private[this] var lowest = Long.MinValue // the low end of a range so far
  private[this] var begun = false

  /** Whether the rows came to an end for want of memory. */
  def isStuck: Boolean = stuck

  /** The probe rows from the one on whose window has no room, each valid until the iterator is asked again. */
  def probesLeft: Iterator[UnsafeRow] = new Iterator[UnsafeRow] {
    private[this] var used = false

    def hasNext: Boolean = {
      if (used) {
        used = false
        stuck = probes.advance()
      }
      stuck
    }

    def next(): UnsafeRow = {
      used = true
      probes.row
    }
  }

  /** Takes the build rows which a probe row that is left may match. The window is empty then. */
  def keepBuild(into: SpillableRows): Unit = {
    keep.release()
    var row = sweep.removeOldest()
    while (row != null) {
      into.add(row.asInstanceOf[UnsafeRow])
      row = sweep.removeOldest()
    }
    while (buildLeft) {
      into.add(build.row)
      buildLeft = build.advance()
    }
  }

  def comparisons: Long = sweep.comparisons
  def rowsKept: Long = sweep.rowsKept
  def peakWindow: Long = sweep.peakWindow.toLong

  def counts: Seq[Long] = Seq(comparisons, rowsKept, peakWindow)

  protected def nextProbe(): InternalRow = {
    if (!begun) {
      begun = true
      sweep.restart(rowsOfBuild)
    }
    if (stuck || !probes.advance()) null
    else {
      taken = 0
      candidates = if (probes.usable) search() else 0
      stuck = candidates == WindowSweep.NoRoom
      if (stuck) null else probes.row
    }
  }

  protected def find(): Boolean = {
    val more = taken < candidates
    if (more) taken += 1
    more
  }

  protected def foundRow: UnsafeRow = sweep.candidate(taken - 1).asInstanceOf[UnsafeRow]

  private[this] def search(): Int = {
    val keys = probes.reader.keys
    val side = pairs.probing.side
    var i = 0
    while (i < further.length) {
      ranges(2 * i) = further(i).least(side, keys(i + 1))
      ranges(2 * i + 1) = further(i).greatest(side, keys(i + 1))
      i += 1
    }
    val least = bands.head.least(side, keys(0))
    val high = bands.head.greatest(side, keys(0))
    if (least > high) 0
    else {
      val low = risen(least)
      if (low <= high) sweep.probe(low, high, ranges) else 0
    }
  }

  /** The low end of a probe's range, or that of an earlier probe if it is higher. On floating point a range's slack
    * grows at each power of two, by more than the number: the low end falls back there, and what lies between matches
    * neither.
    */
  private[this] def risen(low: Long): Long = {
    if (low > lowest) lowest = low
    lowest
  }

  private[this] object rowsOfBuild extends BuildRows {
    private[this] var bytes = 0L
    private[this] var rows = 0L

    def advance(): Boolean = {
      buildLeft = build.advance()
      buildLeft
    }

    def position: Long = build.reader.keys(0)

    def attribute(i: Int): Long = build.reader.keys(i + 1)

    def row(): AnyRef = {
      val copied = build.row.copy()
      bytes += RowSize.inBytes(copied)
      rows += 1
      val inWindow = sweep.windowRows + 1L
      if (keep.tryReserve(inWindow, inWindow * (bytes / rows))) copied else null
    }
  }
}
