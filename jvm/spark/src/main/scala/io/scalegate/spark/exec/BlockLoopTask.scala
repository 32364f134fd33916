package io.scalegate.spark.exec

import java.util.BitSet

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Expression, JoinedRow, UnsafeRow}
import org.apache.spark.sql.scalegate.{SpillableRows, TaskAccess}

import io.scalegate.stream.Side

/** Everything that travels to the executors to join two partitions by comparing all rows of one with all of the
  * other, in any memory: one side is kept on disk, and read once for each block of the other's rows.
  *
  * @param condition
  *   the whole of it, evaluated on every pair
  */
final class BlockLoopTask(
    probing: Probing,
    left: BoundedInput,
    right: BoundedInput,
    condition: Expression
) extends PartitionsJoinTask {
  def join(l: Iterator[InternalRow], r: Iterator[InternalRow]): BlockLoopIterator = {
    val fromLeft = probing.side eq Side.R
    val (probe, held) = if (fromLeft) (left, right) else (right, left)
    val rows = UnsafeRows(if (fromLeft) r else l, held.output)
    val kept = SpillableRows.of(rows, held.output.length)
    new BlockLoopIterator(
      probing,
      UnsafeRows(if (fromLeft) l else r, probe.output),
      kept,
      probe.output.length,
      held.output.length,
      predicate(condition, left.output ++ right.output),
      TaskContext.get()
    )
  }
}

/** Reads the kept rows once for each block of probe rows, and compares each with the whole block.
  *
  * @param probed
  *   the columns of the side that probes, as `searched` are those of the other
  */
final class BlockLoopIterator(
    probing: Probing,
    probes: Iterator[UnsafeRow],
    kept: SpillableRows,
    probed: Int,
    searched: Int,
    condition: BasePredicate,
    task: TaskContext
) extends JoinedPairs(probing.side) {
  import BlockLoopIterator._

  private[this] val keptRows = kept.size.toLong
  private[this] val candidate = new JoinedRow
  private[this] val nothing = UnsafeRows.ofNulls(searched)
  private[this] val block = new Array[UnsafeRow](BlockRows)
  private[this] val matched = new BitSet(BlockRows)
  private[this] var rows = 0 // of the block
  private[this] var at = 0 // the next of them to be compared with the kept row
  private[this] var decided =
    0 // rows of the block that are decided, when all kept rows were through
  private[this] var pass: Iterator[UnsafeRow] = Iterator.empty
  private[this] var keptRow: UnsafeRow = _
  private[this] var probeRow: UnsafeRow = _
  private[this] var foundRow: UnsafeRow = _
  private[this] var compared = 0L
  private[this] var ready = false

  def counts: Seq[Long] = Seq(compared, keptRows, keptRows, 1L)

  def close(): Unit = kept.clear()

  def atProbe(): Boolean = {
    while (!ready && (nextPair() || nextDecision() || nextBlock())) ()
    ready
  }

  def probe: InternalRow = probeRow

  def found: UnsafeRow = foundRow

  /** A row of the block is compared with one kept row at a time, so each pair has its probe row anew. */
  protected def moveToMatch(): Boolean = {
    val more = ready
    ready = false
    more
  }

  /** Whether there is another pair to give. */
  private[this] def nextPair(): Boolean = {
    while (!ready && (at < rows || nextKept())) {
      // Of a row that is decided once, and not with what it matches, one match says all.
      if (probing.pairs || !matched.get(at)) compare()
      at += 1
    }
    ready
  }

  private[this] def compare(): Unit = {
    compared += 1
    if (holds(block(at))) {
      matched.set(at)
      ready = probing.pairs
      set(block(at), keptRow)
    }
  }

  private[this] def nextKept(): Boolean = {
    val more = pass.hasNext
    if (more) {
      TaskAccess.stopIfKilled(task)
      keptRow = pass.next()
      at = 0
    }
    more
  }

  /** Whether there is another row to give for what it matches in all, or for matching nothing. */
  private[this] def nextDecision(): Boolean = {
    while (!ready && decided < rows) {
      ready = !probing.isInner && matched.get(decided) != probing.unmatched
      if (ready) set(block(decided), nothing)
      decided += 1
    }
    ready
  }

  private[this] def nextBlock(): Boolean = {
    val store = new RowStore(probed)
    var bytes = 0L
    rows = 0
    while (rows < BlockRows && bytes < BlockBytes && probes.hasNext) {
      val row = probes.next()
      block(rows) = store.copy(row)
      bytes += row.getSizeInBytes
      rows += 1
    }
    at = rows
    decided = 0
    matched.clear()
    pass = if (rows > 0) kept.iterator else Iterator.empty
    rows > 0
  }

  private[this] def holds(probe: InternalRow): Boolean = {
    if (probing.side eq Side.R) candidate(probe, keptRow) else candidate(keptRow, probe)
    condition.eval(candidate)
  }

  private[this] def set(probe: UnsafeRow, found: UnsafeRow): Unit = {
    probeRow = probe
    foundRow = found
  }
}

private object BlockLoopIterator {

  /** Of this size a block stays in a core's cache, beside the row that it is compared with, and the kept rows are not read
    * too often.
    */
  private val BlockBytes = 1L << 20

  private val BlockRows = 4096
}
