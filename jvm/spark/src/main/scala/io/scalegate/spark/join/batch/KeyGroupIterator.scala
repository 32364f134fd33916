package io.scalegate.spark.join.batch

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.scalegate.TaskAccess

import io.scalegate.band.Band
import io.scalegate.spark.join.{PairTest, ProbeJoinIterator}

/** Joins the rows of one partition, which come in the order of their keys, key by key. The few build rows of a key are
  * held, in no order, and each probe row of the key is compared with all of them. It ends before a key that has more:
  * the rows of that key are taken by [[probesOfKey]] and [[buildOfKey]], and it goes on with the next key.
  *
  * One thread, the task's. It holds up to `mostRows` build rows, of about a mebibyte.
  *
  * @param bands
  *   of the attributes that both sides' readers give
  * @param groupKey
  *   keeps the key whose build rows are held
  * @param mostRows
  *   a key of which is compared rather than sorted
  */
final class KeyGroupIterator(
    pairs: PairTest,
    probes: KeyedSide,
    build: KeyedSide,
    bands: IndexedSeq[Band],
    groupKey: GroupKey,
    mostRows: Int
) extends ProbeJoinIterator(pairs) {
  import KeyGroupIterator._

  private[this] val task = TaskContext.get()
  private[this] val width = bands.length
  private[this] val side = pairs.probing.side
  private[this] val most = math.min(mostRows, MostHeld)
  private[this] val held = new Array[UnsafeRow](most)
  private[this] val attributes = Array.ofDim[Long](width, most)
  private[this] val first = attributes(0)
  private[this] val least = new Array[Long](width)
  private[this] val greatest = new Array[Long](width)
  private[this] var isOpen =
    false // there are build rows of `groupKey`, the key of the last probe row
  private[this] var rowsHeld = 0 // how many of them are held
  private[this] var buildLeft = build.advance() // the build side stands on a row not yet used
  private[this] var end = 0 // of the rows to compare with the probe row
  private[this] var at = 0
  private[this] var large = false // the probe side stands on the first row of a key with many
  private[this] var standing = false // on one that was not used yet
  private[this] var compared = 0L
  private[this] var kept = 0L
  private[this] var peak = 0

  /** Whether it ended before a key with many build rows. */
  def isLarge: Boolean = large

  /** The build rows of that key, each valid until the next is asked for; to be taken before [[probesOfKey]]. */
  def buildOfKey: Iterator[UnsafeRow] =
    held.iterator.take(rowsHeld) ++ new RowsOfKey(build) {
      protected def end(left: Boolean): Unit = buildLeft = left
    }

  /** The probe rows of that key, each valid until the next is asked for. When all are taken there is a next key. */
  def probesOfKey: Iterator[UnsafeRow] = new RowsOfKey(probes) {
    protected def end(left: Boolean): Unit = {
      standing = left
      large = false
      isOpen = false
    }
  }

  def comparisons: Long = compared
  def rowsKept: Long = kept
  def peakWindow: Long = peak.toLong

  def counts: Seq[Long] = Seq(comparisons, rowsKept, peakWindow)

  protected def nextProbe(): InternalRow =
    if (large || !moveToProbe()) null
    else {
      at = 0
      end = 0
      if (probes.hasKey && enterGroup() && !large && probes.read() && setRanges()) {
        end = rowsHeld
        compared += rowsHeld
      }
      if (large) null else probes.row
    }

  private[this] def moveToProbe(): Boolean =
    if (standing) {
      standing = false
      true
    } else probes.advance()

  protected def find(): Boolean = {
    val (low, high) = (least(0), greatest(0))
    var row = at
    while (row < end && (first(row) < low || first(row) > high || width > 1 && !passes(row)))
      row += 1
    at = row + 1
    row < end
  }

  protected def foundRow: UnsafeRow = held(at - 1)

  /** Whether a row is within the ranges after the first. */
  private[this] def passes(row: Int): Boolean = {
    var i = 1
    while (i < width && attributes(i)(row) >= least(i) && attributes(i)(row) <= greatest(i))
      i += 1
    i == width
  }

  /** Whether there is anything within the ranges of the probe row. */
  private[this] def setRanges(): Boolean = {
    val keys = probes.reader.keys
    var some = true
    var i = 0
    while (i < width) {
      least(i) = bands(i).least(side, keys(i))
      greatest(i) = bands(i).greatest(side, keys(i))
      some &&= least(i) <= greatest(i)
      i += 1
    }
    some
  }

  /** Brings the build side to the probe row's key; false when it has no rows of that key. */
  private[this] def enterGroup(): Boolean =
    if (isOpen && probes.key.compare(groupKey) == 0) true
    else {
      while (buildLeft && build.key.compare(probes.key) < 0) buildLeft = build.advance()
      isOpen = buildLeft && build.key.compare(probes.key) == 0
      if (isOpen) {
        groupKey.keep(build.key)
        hold()
      }
      isOpen
    }

  /** Holds the build rows of the key, or finds that there are many. */
  private[this] def hold(): Unit = {
    rowsHeld = 0
    var bytes = 0L
    var same = true
    while (same && !large)
      if (rowsHeld == most || bytes > MostBytes) large = true
      else {
        bytes += build.row.getSizeInBytes
        if (build.read()) holdRow()
        buildLeft = build.advance()
        same = buildLeft && build.key.compare(groupKey) == 0
      }
    if (!large) {
      kept += rowsHeld
      if (rowsHeld > peak) peak = rowsHeld
    }
  }

  private[this] def holdRow(): Unit = {
    if (held(rowsHeld) == null) held(rowsHeld) = UnsafeRow.createFromByteArray(0, pairs.searched)
    held(rowsHeld).copyFrom(build.row)
    var i = 0
    while (i < width) {
      attributes(i)(rowsHeld) = build.reader.keys(i)
      i += 1
    }
    rowsHeld += 1
  }

  /** The rows of a side from the one on which it stands, as long as they have the key. */
  abstract private[this] class RowsOfKey(of: KeyedSide) extends Iterator[UnsafeRow] {
    private[this] var more = true
    private[this] var used = false
    private[this] var count = 0

    /** @param left
      *   whether the side stands on a row of another key
      */
    protected def end(left: Boolean): Unit

    final def hasNext: Boolean = {
      if (used) {
        used = false
        count += 1
        if ((count & Patience) == 0) TaskAccess.stopIfKilled(task)
        val left = of.advance()
        more = left && of.key.compare(groupKey) == 0
        if (!more) end(left)
      }
      more
    }

    final def next(): UnsafeRow = {
      used = true
      of.row
    }
  }
}

private object KeyGroupIterator {
  val MostBytes = 1L << 20

  /** No row is shorter than 16 bytes. */
  val MostHeld = 1 << 16

  /** Rows, less one, after which the task is asked whether it goes on: a power of two, less one. */
  val Patience = (1 << 12) - 1
}
