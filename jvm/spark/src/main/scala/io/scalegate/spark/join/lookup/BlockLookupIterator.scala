package io.scalegate.spark.join.lookup

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.lookup.RowLookup
import io.scalegate.spark.join.{BlockJoinIterator, KeptInput, PairTest}
import io.scalegate.spark.rows.{AttributeReader, BuildBuffer, IndexBy, IndexedRows, WindowMemory}

/** Joins two inputs whose attributes are bounded block by block: a block of probe rows is indexed, and each of the kept
  * build rows is looked up in it.
  *
  * One thread, the task's. A block takes what memory the task is granted, about 1 MiB at least and 64 MiB at most.
  *
  * @param attributes
  *   of the probe rows, which `by` relates to those of the kept ones
  */
final class BlockLookupIterator(
    pairs: PairTest,
    probes: Iterator[UnsafeRow],
    attributes: AttributeReader,
    kept: KeptInput,
    by: IndexBy,
    memory: WindowMemory
) extends BlockJoinIterator(pairs) {
  import BlockLookupIterator._

  private[this] val row = new UnsafeRow(pairs.probed)
  private[this] var block: IndexedRows = _ // null before the first
  private[this] var lookup: RowLookup = _
  private[this] var others: Iterator[UnsafeRow] = Iterator.empty
  private[this] var searching = false // the kept row has candidates that were not looked at yet
  private[this] var compared = 0L // in the blocks before

  def comparisons: Long = compared + (if (lookup == null) 0L else lookup.comparisons)

  def counts: Seq[Long] = Seq(comparisons, 0L, 0L, 1L)

  def close(): Unit = ()

  protected def blockRows: Int = if (block == null) 0 else block.index.rows

  protected def blockRow(number: Int): UnsafeRow = {
    block.point(row, number)
    row
  }

  protected def unmatchable: Iterator[UnsafeRow] = others

  protected def keptRows: Iterator[UnsafeRow] = kept.rows()

  protected def search(keptRow: UnsafeRow): Unit = {
    searching = kept.reader.read(keptRow)
    if (searching) lookup.start(kept.reader.keys)
  }

  protected def nextCandidate(): Int = {
    val number = if (searching) lookup.next() else -1
    searching = number >= 0
    number
  }

  protected def fillBlock(): Boolean = {
    val more = probes.hasNext
    if (more) {
      if (lookup != null) compared += lookup.comparisons
      block = null
      val rows = filled()
      others = rows.unmatchable
      block = rows.index(pairs.probing.side)
      lookup = block.index.lookup()
    }
    more
  }

  private[this] def filled(): BuildBuffer = {
    val rows =
      new BuildBuffer(attributes, by, pairs.probed, FewRows, whole = pairs.probing.unmatched)
    rows.fill(probes, memory, LeastBytes, MostBytes): Unit
    rows
  }
}

private object BlockLookupIterator {
  private val FewRows = 16

  /** What a block takes even if the task has no memory left, or its rows would be read again for each. */
  private val LeastBytes = 1L << 20

  private val MostBytes = 64L << 20
}
