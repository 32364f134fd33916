package io.scalegate.spark.join.batch

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.scalegate.SpillableRows

import io.scalegate.spark.join.lookup.BlockLookupIterator
import io.scalegate.spark.join.{JoinedPairs, PairTest}
import io.scalegate.spark.rows.WindowMemory

/** A sweep that copes with windows larger than memory. Where the window of a key does not fit, the build rows of that
  * key are kept on disk and joined block by block; the sweep goes on with the next key. One thread, the task's.
  *
  * @param inBlocks
  *   joins the probe rows of a key with the build rows that are kept
  */
final class SpillingSweepIterator(
    pairs: PairTest,
    sweep: SweepJoinIterator,
    inBlocks: (Iterator[UnsafeRow], SpillableRows) => BlockLookupIterator,
    memory: WindowMemory
) extends JoinedPairs(pairs.probing.side) {
  private[this] var current: JoinedPairs = sweep
  private[this] var kept: SpillableRows = _
  private[this] var blocks: BlockLookupIterator = _
  private[this] var compared = 0L // in blocks that are through
  private[this] var keys = 0L // whose window did not fit

  def counts: Seq[Long] = {
    val swept = sweep.counts
    val inBlock = compared + (if (blocks == null) 0L else blocks.comparisons)
    (swept.head + inBlock) +: swept.tail :+ keys
  }

  def atProbe(): Boolean = {
    var more = current.atProbe()
    while (!more && ((current ne sweep) || sweep.isStuck)) {
      if (current eq sweep) enterBlocks() else leaveBlocks()
      more = current.atProbe()
    }
    more
  }

  def probe: InternalRow = current.probe

  def found: UnsafeRow = current.found

  override def foundBase: AnyRef = current.foundBase

  override def foundOffset: Long = current.foundOffset

  def close(): Unit = ()

  protected def moveToMatch(): Boolean = current.nextMatch()

  private[this] def enterBlocks(): Unit = {
    keys += 1
    kept = new SpillableRows(pairs.searched)
    sweep.keepBuild(kept)
    blocks = inBlocks(sweep.probesOfKey, kept)
    current = blocks
  }

  private[this] def leaveBlocks(): Unit = {
    compared += blocks.comparisons
    blocks = null
    kept.clear()
    memory.release()
    current = sweep
  }
}
