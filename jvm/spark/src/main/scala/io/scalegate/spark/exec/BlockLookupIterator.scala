package io.scalegate.spark.exec

import java.util.BitSet

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, JoinedRow, UnsafeRow}
import org.apache.spark.sql.scalegate.TaskAccess

import io.scalegate.join.RowLookup
import io.scalegate.stream.Side

/** Rows that are read over and over, from wherever they are kept, and how their attributes are read. */
final class KeptInput(val rows: () => Iterator[UnsafeRow], val reader: AttributeReader)

/** Joins, in any memory, two inputs whose attributes are bounded and of which neither can be held: the rows that probe are
  * indexed a block at a time, as many as there is memory for, and each of the kept rows is looked up in the block. So the
  * kept rows are read once for each block.
  *
  * A block's pairs come in the order of the kept rows; then its rows that are given for what they match in all.
  *
  * @param attributes
  *   of the probe rows, which `by` relates to those of the kept ones
  * @param probed
  *   the columns of the side that probes, as `searched` are those of the other
  * @param accepts
  *   whether a pair that the index finds is a match; all are if there is no such condition
  */
final class BlockLookupIterator(
    probing: Probing,
    probes: Iterator[UnsafeRow],
    attributes: AttributeReader,
    kept: KeptInput,
    by: IndexBy,
    probed: Int,
    searched: Int,
    accepts: Option[BasePredicate],
    memory: WindowMemory,
    task: TaskContext
) extends JoinedPairs(probing.side) {
  import BlockLookupIterator._

  private[this] val candidate = new JoinedRow
  private[this] val condition = accepts.orNull
  private[this] val nothing = UnsafeRows.ofNulls(searched)
  private[this] val probeRow = new UnsafeRow(probed)
  private[this] val matched = new BitSet
  private[this] var block: IndexedRows = _ // null before the first
  private[this] var lookup: RowLookup = _
  private[this] var unmatchable: Iterator[UnsafeRow] = Iterator.empty
  private[this] var pass: Iterator[UnsafeRow] = Iterator.empty
  private[this] var searching = false // the kept row has matches that were not looked at yet
  private[this] var keptRow: UnsafeRow = _
  private[this] var decided =
    0 // rows of the block that are decided, when all kept rows were through
  private[this] var current: UnsafeRow = _
  private[this] var foundRow: UnsafeRow = _
  private[this] var compared = 0L
  private[this] var ready = false

  def comparisons: Long = compared + (if (lookup == null) 0L else lookup.comparisons)

  def counts: Seq[Long] = Seq(comparisons, 0L, 0L, 1L)

  def close(): Unit = ()

  def atProbe(): Boolean = {
    while (!ready && (nextPair() || nextDecision() || nextBlock())) ()
    ready
  }

  def probe: UnsafeRow = current

  def found: UnsafeRow = foundRow

  /** Each pair has its probe row anew. */
  protected def moveToMatch(): Boolean = {
    val more = ready
    ready = false
    more
  }

  private[this] def nextPair(): Boolean = {
    while (!ready && (searching || nextKept())) {
      val number = lookup.next()
      searching = number >= 0
      // Of a row that is decided once, and not with what it matches, one match says all.
      if (searching && (probing.pairs || !matched.get(number))) decide(number)
    }
    ready
  }

  private[this] def decide(number: Int): Unit = {
    block.point(probeRow, number)
    if (condition == null || holds()) {
      matched.set(number)
      ready = probing.pairs
      current = probeRow
      foundRow = keptRow
    }
  }

  private[this] def holds(): Boolean = {
    if (probing.side eq Side.R) candidate(probeRow, keptRow) else candidate(keptRow, probeRow)
    condition.eval(candidate)
  }

  private[this] def nextKept(): Boolean = {
    val more = pass.hasNext
    if (more) {
      TaskAccess.stopIfKilled(task)
      keptRow = pass.next()
      searching = kept.reader.read(keptRow)
      if (searching) lookup.start(kept.reader.keys)
    }
    more
  }

  /** Whether there is another row to give for what it matches in all, or for matching nothing. */
  private[this] def nextDecision(): Boolean = {
    if (!probing.isInner && block != null) decided = nextDecided()
    if (decided > 0) {
      block.point(probeRow, decided - 1)
      give(probeRow)
    } else if (unmatchable.hasNext) give(unmatchable.next())
    ready
  }

  /** The place after the next row to be given; negative when there is none. */
  private[this] def nextDecided(): Int =
    if (decided < 0) decided
    else {
      val next =
        if (probing.unmatched) matched.nextClearBit(decided) else matched.nextSetBit(decided)
      if (next >= 0 && next < block.index.rows) next + 1 else -1
    }

  private[this] def give(row: UnsafeRow): Unit = {
    ready = true
    current = row
    foundRow = nothing
  }

  private[this] def nextBlock(): Boolean = {
    val more = probes.hasNext
    if (more) {
      if (lookup != null) compared += lookup.comparisons
      block = null
      val rows = filled()
      unmatchable = rows.unmatchable
      block = rows.index(probing.side)
      lookup = block.index.lookup()
      matched.clear()
      decided = 0
      pass = kept.rows()
    }
    more
  }

  /** Rows are held twice while they are indexed. */
  private[this] def filled(): HeldRows = {
    val rows = new HeldRows(attributes, by, probed, FewRows, whole = probing.unmatched)
    val store = new RowStore(probed, FewRows)
    var bytes = 0L
    var fits = true
    while (fits && probes.hasNext) {
      val row = probes.next()
      rows.add(row, store.copy(row))
      bytes += 2L * (row.getSizeInBytes + by.types.length * java.lang.Long.BYTES)
      fits = bytes < MostBytes &&
        (memory.tryReserve(rows.size.toLong, bytes) || bytes < LeastBytes)
    }
    rows
  }
}

private object BlockLookupIterator {
  private val FewRows = 16

  /** What a block takes even if the task has no memory left, or its rows would be read again for each. */
  private val LeastBytes = 1L << 20

  private val MostBytes = 64L << 20
}
