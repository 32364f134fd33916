package io.scalegate.spark.join.batch

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.scalegate.SpillableRows

import io.scalegate.spark.join.lookup.BlockLookupIterator
import io.scalegate.spark.join.{JoinedPairs, PairTest}
import io.scalegate.spark.rows.WindowMemory

/** Joins the rows of one partition key by key. The rows of a key with many build rows are sorted, which memory cannot
  * limit, and a window is swept over them. Where the window does not fit, the build rows that are left of the key are
  * kept on disk and joined block by block. One thread, the task's.
  *
  * @param groups
  *   joins the keys that have few build rows
  * @param sorted
  *   the rows of a key with many, sorted: of the probe side and of the build side
  * @param inBlocks
  *   joins the probe rows of a key with the build rows that are kept
  * @param sortedHere
  *   whether the task had to sort its inputs by their keys
  */
final class KeyedJoinIterator(
    pairs: PairTest,
    groups: KeyGroupIterator,
    sorted: SortedKey,
    inBlocks: (Iterator[UnsafeRow], SpillableRows) => BlockLookupIterator,
    memory: WindowMemory,
    sortedHere: Boolean
) extends JoinedPairs(pairs.probing.side) {
  private[this] var current: JoinedPairs = groups
  private[this] var sweep: SweepJoinIterator = _ // null but while a key with many rows is joined
  private[this] var blocks: BlockLookupIterator =
    _ // null but while one is whose window does not fit
  private[this] var kept: SpillableRows = _
  private[this] var compared = 0L // in keys that are through and had many rows
  private[this] var swept = 0L // rows that were in windows of such keys
  private[this] var peak = 0L
  private[this] var spilled = 0L // keys whose window did not fit

  def counts: Seq[Long] = Seq(
    groups.comparisons + compared +
      (if (sweep == null) 0L else sweep.comparisons) +
      (if (blocks == null) 0L else blocks.comparisons),
    groups.rowsKept + swept + (if (sweep == null) 0L else sweep.rowsKept),
    math.max(groups.peakWindow, math.max(peak, if (sweep == null) 0L else sweep.peakWindow)),
    if (sortedHere) 1L else 0L,
    spilled
  )

  def atProbe(): Boolean = {
    var more = current.atProbe()
    while (!more && goOn()) more = current.atProbe()
    more
  }

  def probe: InternalRow = current.probe

  def found: UnsafeRow = current.found

  override def foundBase: AnyRef = current.foundBase

  override def foundOffset: Long = current.foundOffset

  def close(): Unit = ()

  protected def moveToMatch(): Boolean = current.nextMatch()

  /** When what is current has no more rows; false at the end of the partition. */
  private[this] def goOn(): Boolean =
    if (current eq groups) {
      if (groups.isLarge) enterSweep()
      current ne groups
    } else {
      if (blocks == null && sweep.isStuck) enterBlocks() else leave()
      true
    }

  private[this] def enterSweep(): Unit = {
    sweep = sorted.sweep(groups.probesOfKey, groups.buildOfKey)
    current = sweep
  }

  private[this] def enterBlocks(): Unit = {
    spilled += 1
    kept = new SpillableRows(pairs.searched)
    sweep.keepBuild(kept)
    blocks = inBlocks(sweep.probesLeft, kept)
    current = blocks
  }

  private[this] def leave(): Unit = {
    if (blocks != null) {
      compared += blocks.comparisons
      blocks = null
      kept.clear()
    }
    compared += sweep.comparisons
    swept += sweep.rowsKept
    peak = math.max(peak, sweep.peakWindow)
    sweep = null
    sorted.release()
    memory.release()
    current = groups
  }
}
