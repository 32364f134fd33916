package io.scalegate.spark.join.lookup

import java.util.BitSet

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.join.{PairTest, ProbeJoinIterator}
import io.scalegate.spark.rows.{AttributeReader, IndexedRows, WindowMemory}

/** Looks each row of a partition up in an index. One thread, the task's; the index may be shared with others. It holds
  * a bit for each build row where unmatched build rows are given.
  *
  * @param unmatchable
  *   rows that are not in the index because they match nothing
  * @param memory
  *   what the index was granted by the task, if it is its own
  */
final class LookupJoinIterator(
    pairs: PairTest,
    probes: Iterator[InternalRow],
    attributes: AttributeReader,
    held: IndexedRows,
    unmatchable: Iterator[UnsafeRow] = Iterator.empty,
    memory: Option[WindowMemory] = None
) extends ProbeJoinIterator(pairs) {
  private[this] val lookup = held.index.lookup()
  private[this] val row = new UnsafeRow(pairs.searched)
  private[this] var number = 0 // of that row
  private[this] val rows = held.index.rows
  private[this] val taken = if (pairs.probing.unfound) new BitSet(rows) else null
  private[this] var usable = false
  private[this] var passed = 0 // rows of the index that were looked at for having been found

  def counts: Seq[Long] = Seq(lookup.comparisons, rows.toLong, rows.toLong)

  override def close(): Unit = memory.foreach(_.release())

  protected def nextProbe(): InternalRow =
    if (!probes.hasNext) null
    else {
      val row = probes.next()
      usable = attributes.read(row)
      if (usable) lookup.start(attributes.keys)
      row
    }

  protected def find(): Boolean = {
    number = if (usable) lookup.next() else -1
    number >= 0
  }

  protected def foundRow: UnsafeRow = {
    held.point(row, number)
    row
  }

  override protected def rowBase: AnyRef = held.base(number)

  override protected def rowOffset: Long = held.offset(number)

  override protected def accepted(): Unit = taken.set(number)

  override protected def nextUnfound(): UnsafeRow = {
    passed = taken.nextClearBit(passed)
    if (passed < rows) {
      passed += 1
      held.row(passed - 1)
    } else if (unmatchable.hasNext) unmatchable.next()
    else null
  }
}
