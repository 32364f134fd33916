package io.scalegate.spark.exec

import java.util.concurrent.ConcurrentHashMap
import java.util.{BitSet, Collections, Map => JavaMap, WeakHashMap}

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
  def join(probes: Iterator[InternalRow], packed: Array[InternalRow]): LookupJoinIterator =
    new LookupJoinIterator(
      probing,
      probes,
      reader(streamed),
      BroadcastIndexes.of(packed, held.bounded, by, heldSide, indexed(packed)),
      streamed.output.length,
      held.output.length,
      accepts(residual, left.output ++ right.output)
    )

  private[this] def reader(input: BoundedInput): AttributeReader =
    new AttributeReader(input.bounded, by.types, input.output)

  private[this] def indexed(packed: Array[InternalRow]): IndexedRows = {
    val rows = new HeldRows(reader(held), by, held.output.length, PackedRows.count(packed))
    PackedRows(packed, held.output.length).foreach(row => rows.add(row, row))
    rows.indexOnAllCores(heldSide)
  }
}

/** The indexes of what this JVM holds of broadcast rows: each is built by the first task that asks, and goes
  * when the rows go.
  */
private object BroadcastIndexes {
  final private case class Use(attributes: Seq[Expression], by: IndexBy, side: Side)

  private[this] val known: JavaMap[Array[InternalRow], ConcurrentHashMap[Use, IndexedRows]] =
    Collections.synchronizedMap(new WeakHashMap)

  /** One broadcast may serve several joins, each with an index of its own. */
  def of(
      rows: Array[InternalRow],
      attributes: Seq[Expression],
      by: IndexBy,
      side: Side,
      made: => IndexedRows
  ): IndexedRows =
    known
      .computeIfAbsent(rows, _ => new ConcurrentHashMap)
      .computeIfAbsent(Use(attributes, by, side), _ => made)
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
    unmatchable: Iterator[InternalRow] = Iterator.empty
) extends ProbeJoinIterator(probing, probed, searched, accepts) {
  private[this] val lookup = held.index.lookup()
  private[this] val row = new UnsafeRow(searched)
  private[this] var number = 0 // of that row
  private[this] val rows = held.index.rows
  private[this] val found = if (probing.unfound) new BitSet(rows) else null
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

  protected def nextFound(): InternalRow = {
    number = if (usable) lookup.next() else -1
    if (number < 0) null
    else {
      held.point(row, number)
      row
    }
  }

  override protected def accepted(): Unit = found.set(number)

  override protected def nextUnfound(): InternalRow = {
    passed = found.nextClearBit(passed)
    if (passed < rows) {
      passed += 1
      held.row(passed - 1)
    } else if (unmatchable.hasNext) unmatchable.next()
    else null
  }
}
