package io.scalegate.spark.exec

import java.util.BitSet

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Expression, UnsafeRow}

import io.scalegate.stream.Side

/** Everything that travels to the executors for one [[BroadcastWindowJoinExec]]. */
final class LookupTask(
    probing: Probing,
    left: BoundedInput,
    right: BoundedInput,
    by: IndexBy,
    residual: Option[Expression]
) extends JoinTask {
  private[this] def held = if (probing.side eq Side.R) right else left
  private[this] def heldSide = probing.side.opposite
  private[this] def streamed = if (probing.side eq Side.R) left else right

  /** Joins the rows of a partition with the packed rows that were broadcast. */
  def join(probes: Iterator[InternalRow], packed: Array[InternalRow]): JoinedPairs = {
    val use = IndexUse(held.bounded, by, heldSide)
    BroadcastIndexes.of(packed, use, TaskContext.get(), built(packed)) match {
      case Some(index) => lookup(probes, index)
      case None => inBlocks(probes, packed)
    }
  }

  private[this] def built(packed: Array[InternalRow]): Option[BuiltIndex] =
    new PackedIndex(
      packed,
      held.output.length,
      () => reader(held),
      by,
      BroadcastIndexes.reserve
    ).build(heldSide)

  private[this] def lookup(
      probes: Iterator[InternalRow],
      index: IndexedRows
  ): LookupJoinIterator =
    new LookupJoinIterator(
      probing,
      probes,
      reader(streamed),
      index,
      streamed.output.length,
      held.output.length,
      holds
    )

  private[this] def inBlocks(
      probes: Iterator[InternalRow],
      packed: Array[InternalRow]
  ): BlockLookupIterator =
    new BlockLookupIterator(
      probing,
      UnsafeRows(probes, streamed.output),
      reader(streamed),
      new KeptInput(() => PackedRows(packed, held.output.length), reader(held)),
      by,
      streamed.output.length,
      held.output.length,
      holds,
      WindowMemory.ofTask(TaskContext.get()),
      TaskContext.get()
    )

  private[this] def holds: Option[BasePredicate] =
    accepts(residual, left.output ++ right.output)

  private[this] def reader(input: BoundedInput): AttributeReader =
    new AttributeReader(input.bounded, by.types, input.output)
}

/** Looks each row of a partition up in an index.
  *
  * @param unmatchable
  *   rows that are not in the index because they match nothing
  */
final class LookupJoinIterator(
    probing: Probing,
    probes: Iterator[InternalRow],
    attributes: AttributeReader,
    held: IndexedRows,
    probed: Int,
    searched: Int,
    accepts: Option[BasePredicate],
    unmatchable: Iterator[UnsafeRow] = Iterator.empty
) extends ProbeJoinIterator(probing, probed, searched, accepts) {
  private[this] val lookup = held.index.lookup()
  private[this] val row = new UnsafeRow(searched)
  private[this] var number = 0 // of that row
  private[this] val rows = held.index.rows
  private[this] val taken = if (probing.unfound) new BitSet(rows) else null
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
