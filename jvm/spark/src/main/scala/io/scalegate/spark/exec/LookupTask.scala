package io.scalegate.spark.exec

import java.util.BitSet

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Everything that travels to the executors for a join with rows that are broadcast. */
final class LookupTask(terms: TaskTerms) extends Serializable {
  import terms.{build, probe}

  /** Joins the rows of a partition with the packed rows that were broadcast. */
  def join(probes: Iterator[InternalRow], packed: Array[InternalRow]): JoinedPairs = {
    val use = IndexUse(build.bounded, terms.by, terms.buildSide)
    BroadcastIndexes.of(packed, use, TaskContext.get(), built(packed)) match {
      case Some(index) =>
        new LookupJoinIterator(terms.test, probes, terms.reader(probe), index)
      case None => inBlocks(probes, packed)
    }
  }

  private[this] def built(packed: Array[InternalRow]): Option[BuiltIndex] =
    new PackedIndex(
      packed,
      build.output.length,
      () => terms.reader(build),
      terms.by,
      BroadcastIndexes.reserve
    ).build(terms.buildSide)

  private[this] def inBlocks(
      probes: Iterator[InternalRow],
      packed: Array[InternalRow]
  ): BlockLookupIterator =
    new BlockLookupIterator(
      terms.test,
      UnsafeRows(probes, probe.output),
      terms.reader(probe),
      new KeptInput(() => PackedRows(packed, build.output.length), terms.reader(build)),
      terms.by,
      WindowMemory.ofTask(TaskContext.get())
    )
}

/** Looks each row of a partition up in an index.
  *
  * @param unmatchable
  *   rows that are not in the index because they match nothing
  */
final class LookupJoinIterator(
    pairs: PairTest,
    probes: Iterator[InternalRow],
    attributes: AttributeReader,
    held: IndexedRows,
    unmatchable: Iterator[UnsafeRow] = Iterator.empty
) extends ProbeJoinIterator(pairs) {
  private[this] val lookup = held.index.lookup()
  private[this] val row = new UnsafeRow(pairs.searched)
  private[this] var number = 0 // of that row
  private[this] val rows = held.index.rows
  private[this] val taken = if (pairs.probing.unfound) new BitSet(rows) else null
  private[this] var usable = false
  private[this] var passed = 0 // rows of the index that were looked at for having been found

  def counts: Seq[Long] = Seq(lookup.comparisons, rows.toLong, rows.toLong)

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
