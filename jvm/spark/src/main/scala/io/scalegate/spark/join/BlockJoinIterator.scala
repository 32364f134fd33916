package io.scalegate.spark.join

import java.util.BitSet

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.scalegate.TaskAccess

import io.scalegate.spark.rows.UnsafeRows

/** Joins, in any memory, two inputs of which neither can be held: probe rows are taken a block at a time, and the build
  * side's rows, which are kept where they can be read over and over, are read once for each block.
  *
  * One thread, the task's. It holds one block, and a bit for each row of it.
  *
  * A block's pairs come in the order of the kept rows; then its rows that are given for what they match in all.
  *
  * @param pairs
  *   what makes a candidate a match
  */
abstract class BlockJoinIterator(pairs: PairTest) extends UngroupedPairs(pairs.probing.side) {
  private[this] val probing = pairs.probing
  private[this] val task = TaskContext.get()
  private[this] val nothing = UnsafeRows.ofNulls(pairs.searched)
  private[this] val matched = new BitSet // of the block's rows
  private[this] var pass: Iterator[UnsafeRow] = Iterator.empty
  private[this] var keptRow: UnsafeRow = _
  private[this] var decided =
    0 // rows of the block that are decided, when all kept rows were through
  private[this] var candidates = 0L

  /** Makes the next probe rows the block, instead of the last; false when there are no more. */
  protected def fillBlock(): Boolean

  /** How many rows of the block may match, by whose numbers they are found; none before the first block. */
  protected def blockRows: Int

  /** The block's row of this number; valid until the next. */
  protected def blockRow(number: Int): UnsafeRow

  /** The block's rows that match nothing and have no number, if they are given. */
  protected def unmatchable: Iterator[UnsafeRow]

  /** All kept rows, once more. */
  protected def keptRows: Iterator[UnsafeRow]

  /** Begins with the candidates of a kept row. */
  protected def search(kept: UnsafeRow): Unit

  /** The number of the next of them; negative when there are no more. */
  protected def nextCandidate(): Int

  /** Candidates that were tested. */
  final protected def tested: Long = candidates

  final protected def seek(): Unit =
    while (!isGiven && (nextPair() || nextDecision() || nextBlock())) ()

  private[this] def nextPair(): Boolean = {
    var more = true
    while (!isGiven && more) {
      val number = nextCandidate()
      // Of a row that is decided once, and not with what it matches, one match says all.
      if (number < 0) more = nextKept()
      else if (probing.pairs || !matched.get(number)) look(number)
    }
    isGiven
  }

  private[this] def nextKept(): Boolean = {
    val more = pass.hasNext
    if (more) {
      TaskAccess.stopIfKilled(task)
      keptRow = pass.next()
      search(keptRow)
    }
    more
  }

  private[this] def look(number: Int): Unit = {
    candidates += 1
    val row = blockRow(number)
    if (pairs.isPassed || pairs.holds(row, keptRow)) {
      matched.set(number)
      if (probing.pairs) give(row, keptRow)
    }
  }

  /** Whether there is another row to give for what it matches in all, or for matching nothing. */
  private[this] def nextDecision(): Boolean = {
    val number = if (probing.isInner) -1 else nextDecided()
    if (number >= 0) give(blockRow(number), nothing)
    else if (unmatchable.hasNext) give(unmatchable.next(), nothing)
    isGiven
  }

  private[this] def nextDecided(): Int = {
    val next =
      if (probing.unmatched) matched.nextClearBit(decided) else matched.nextSetBit(decided)
    val more = next >= 0 && next < blockRows
    decided = if (more) next + 1 else blockRows
    if (more) next else -1
  }

  private[this] def nextBlock(): Boolean = {
    val more = fillBlock()
    if (more) {
      matched.clear()
      decided = 0
      pass = keptRows
    }
    more
  }
}
