package io.scalegate.spark.exec

import java.lang.ref.SoftReference
import java.util.concurrent.ConcurrentHashMap
import java.util.stream.IntStream
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

  /** Tasks that wait for the index leave the JVM's other cores idle. */
  private[this] def indexed(packed: Array[InternalRow]): IndexedRows = {
    val width = held.output.length
    val cores = Runtime.getRuntime.availableProcessors
    val shares = packed.grouped(math.max(1, (packed.length + cores - 1) / cores)).toArray
    val rows = shares.map(share => new HeldRows(reader(held), by, width, PackedRows.count(share)))
    IntStream.range(0, shares.length).parallel.forEach { i =>
      PackedRows(shares(i), width).foreach(row => rows(i).add(row, row))
    }
    val all = new HeldRows(reader(held), by, width, PackedRows.count(packed))
    rows.foreach(all.takeAll)
    all.indexOnAllCores(heldSide)
  }
}

/** The indexes of what this JVM holds of broadcast rows: each is built by the first task that asks, and goes
  * when the rows go, or when no task uses it and memory is short: Spark keeps the rows of a query that is
  * over until the driver forgets it, and does not know what their indexes take.
  */
private object BroadcastIndexes {
  final private case class Use(attributes: Seq[Expression], by: IndexBy, side: Side)

  /** An index that is built by who asks first for it, while others wait. */
  final private class Held {
    private[this] var index = new SoftReference[IndexedRows](null)

    def get(made: => IndexedRows): IndexedRows = synchronized {
      Option(index.get).getOrElse {
        val built = made
        index = new SoftReference(built)
        built
      }
    }
  }

  private[this] val known: JavaMap[Array[InternalRow], ConcurrentHashMap[Use, Held]] =
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
      .computeIfAbsent(Use(attributes, by, side), _ => new Held)
      .get(made)
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
