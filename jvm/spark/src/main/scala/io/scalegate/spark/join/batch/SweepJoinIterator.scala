package io.scalegate.spark.join.batch

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.scalegate.SpillableRows

import io.scalegate.band.Band
import io.scalegate.lookup.{BuildRows, WindowSweep}
import io.scalegate.spark.join.{PairTest, ProbeJoinIterator}
import io.scalegate.spark.rows.{RowSize, WindowMemory}

/** Joins the sorted rows of one partition, key by key, with the core's window sweep: each probe row searches the window
  * of build rows.
  *
  * One thread, the task's. It holds the window of one key, for which `keep` reserves memory.
  *
  * @param bands
  *   the first bounds the attribute that both sides are sorted by within a key
  * @param keep
  *   is told the rows and bytes of the window as it grows, and may refuse. Then there are no more pairs until the rows
  *   of the key are taken by [[keepBuild]] and [[probesOfKey]]
  * @param sortedHere
  *   whether the task had to sort its inputs itself
  */
final class SweepJoinIterator(
    pairs: PairTest,
    probes: SortedSide,
    build: SortedSide,
    bands: IndexedSeq[Band],
    keep: WindowMemory,
    sortedHere: Boolean
) extends ProbeJoinIterator(pairs) {
  private[this] val further = bands.tail
  private[this] val sweep = new WindowSweep(further.map(_.attribute))
  private[this] val ranges = new Array[Long](2 * further.length)
  private[this] val group = new Group
  private[this] var buildLeft = build.advance() // the build side stands on a row not yet used
  private[this] var candidates = 0
  private[this] var taken = 0
  private[this] var stuck = false // the probe side stands on a row whose window has no room
  private[this] var standing = false // on one that was not used yet

  /** Whether the rows of a key came to an end for want of memory. */
  def isStuck: Boolean = stuck

  /** The probe rows of that key from the one on whose window has no room, each valid until the iterator is asked again.
    * When all are taken the sweep goes on with the next key.
    */
  def probesOfKey: Iterator[UnsafeRow] = new Iterator[UnsafeRow] {
    private[this] var used = false

    def hasNext: Boolean = {
      if (used && stuck) {
        used = false
        standing = probes.advance()
        stuck = standing && probes.compareKey(group.key) == 0
        standing &&= !stuck
      }
      stuck
    }

    def next(): UnsafeRow = {
      used = true
      probes.row
    }
  }

  /** Takes the build rows of that key which a probe row that is left may match. The window is empty then. */
  def keepBuild(into: SpillableRows): Unit = {
    keep.release()
    var row = sweep.removeOldest()
    while (row != null) {
      into.add(row.asInstanceOf[UnsafeRow])
      row = sweep.removeOldest()
    }
    while (buildLeft && build.compareKey(group.key) == 0) {
      into.add(build.row)
      buildLeft = build.advance()
    }
  }

  def counts: Seq[Long] = Seq(
    sweep.comparisons,
    sweep.rowsKept,
    sweep.peakWindow.toLong,
    if (sortedHere) 1L else 0L
  )

  protected def nextProbe(): InternalRow =
    if (stuck || !moveToProbe()) null
    else {
      taken = 0
      candidates = if (probes.usable && enterGroup()) search() else 0
      stuck = candidates == WindowSweep.NoRoom
      if (stuck) null else probes.row
    }

  private[this] def moveToProbe(): Boolean =
    if (standing) {
      standing = false
      true
    } else probes.advance()

  protected def find(): Boolean = {
    val more = taken < candidates
    if (more) taken += 1
    more
  }

  protected def foundRow: UnsafeRow = sweep.candidate(taken - 1).asInstanceOf[UnsafeRow]

  /** Brings the build side to the probe row's key; false when it has no rows of that key. */
  private[this] def enterGroup(): Boolean =
    if (group.isOpen && probes.compareKey(group.key) == 0) true
    else {
      group.close()
      while (buildLeft && build.compareKey(probes.key) < 0) buildLeft = build.advance()
      if (buildLeft && build.compareKey(probes.key) == 0) {
        group.open(build.key.copy())
        true
      } else false
    }

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
      val low = group.risen(least)
      if (low <= high) sweep.probe(low, high, ranges) else 0
    }
  }

  /** The build rows of one key. */
  final private[this] class Group extends BuildRows {
    private[this] var started = false
    private[this] var bytes = 0L
    private[this] var rows = 0L
    private[this] var lowest = Long.MinValue
    var isOpen = false
    var key: UnsafeRow = _

    def open(groupKey: UnsafeRow): Unit = {
      key = groupKey
      isOpen = true
      started = false
      bytes = 0L
      rows = 0L
      lowest = Long.MinValue
      sweep.restart(this)
    }

    def close(): Unit = isOpen = false

    /** The low end of a probe's range, or that of an earlier probe if it is higher. On floating point a
      * range's slack grows at each power of two, by more than the number: the low end falls back there,
      * and what lies between matches neither.
      */
    def risen(low: Long): Long = {
      if (low > lowest) lowest = low
      lowest
    }

    def advance(): Boolean = {
      if (started) buildLeft = build.advance()
      started = true
      buildLeft && build.compareKey(key) == 0
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
