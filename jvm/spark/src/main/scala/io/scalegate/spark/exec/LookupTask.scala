package io.scalegate.spark.exec

import java.util.concurrent.ConcurrentHashMap
import java.util.{Collections, Map => JavaMap, WeakHashMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, JoinedRow}

import io.scalegate.join.{Band, BandIndex, BandLookup}
import io.scalegate.stream.Side

/** Everything that travels to the executors for one [[BroadcastWindowJoinExec]]. */
final class LookupTask(
    broadcast: Side,
    left: BoundedInput,
    right: BoundedInput,
    bands: IndexedSeq[Band],
    residual: Option[Expression]
) extends JoinTask {
  private[this] def held = if (broadcast eq Side.R) left else right
  private[this] def streamed = if (broadcast eq Side.R) right else left

  /** Joins the rows of a partition with the packed rows that were broadcast. */
  def join(probes: Iterator[InternalRow], packed: Array[InternalRow]): LookupJoinIterator =
    new LookupJoinIterator(
      probes,
      reader(streamed),
      new BandLookup(BroadcastIndexes.of(
        packed,
        held.bounded,
        bands,
        broadcast,
        indexed(packed)
      )),
      broadcast,
      accepts(residual, left.output ++ right.output)
    )

  private[this] def reader(input: BoundedInput): AttributeReader =
    new AttributeReader(input.bounded, bands.map(_.attribute), input.output)

  /** Rows with a NULL among their attributes match nothing and are left out. */
  private[this] def indexed(packed: Array[InternalRow]): BandIndex = {
    val attributes = reader(held)
    val most = PackedRows.count(packed)
    val keys = Vector.fill(bands.length)(new Array[Long](most))
    val rows = new Array[AnyRef](most)
    var kept = 0
    PackedRows(packed, held.output.length).foreach { row =>
      if (attributes.read(row)) {
        var i = 0
        while (i < attributes.keys.length) {
          keys(i)(kept) = attributes.keys(i)
          i += 1
        }
        rows(kept) = row
        kept += 1
      }
    }
    BandIndex(
      bands,
      broadcast,
      keys.map(java.util.Arrays.copyOf(_, kept)),
      java.util.Arrays.copyOf(rows, kept)
    )
  }
}

/** The indexes of what this JVM holds of broadcast rows: each is built by the first task that asks, and goes
  * when the rows go.
  */
private object BroadcastIndexes {
  final private case class Use(attributes: Seq[Expression], bands: Seq[Band], side: Side)

  private[this] val known: JavaMap[Array[InternalRow], ConcurrentHashMap[Use, BandIndex]] =
    Collections.synchronizedMap(new WeakHashMap)

  /** One broadcast may serve several joins, each with an index of its own. */
  def of(
      rows: Array[InternalRow],
      attributes: Seq[Expression],
      bands: Seq[Band],
      side: Side,
      made: => BandIndex
  ): BandIndex =
    known
      .computeIfAbsent(rows, _ => new ConcurrentHashMap)
      .computeIfAbsent(Use(attributes, bands, side), _ => made)
}

/** Looks each row of a partition up among the rows that were broadcast. Gives pairs for which every bound and
  * the residual predicate hold. Rows with a NULL among their attributes match nothing.
  *
  * @param broadcast
  *   the side whose rows are looked up
  */
final class LookupJoinIterator(
    probes: Iterator[InternalRow],
    attributes: AttributeReader,
    lookup: BandLookup,
    broadcast: Side,
    accepts: InternalRow => Boolean
) extends JoinedPairs {
  private[this] val pair = new JoinedRow
  private[this] var probing = false
  private[this] var ready = false

  def counts: Seq[Long] = Seq(lookup.comparisons)
  def close(): Unit = ()

  /** The pair that [[next]] gives is valid until the next call of [[hasNext]]. */
  def hasNext: Boolean = {
    while (!ready && (probing || nextProbe())) {
      val found = lookup.next().asInstanceOf[InternalRow]
      if (found == null) probing = false
      else {
        if (broadcast eq Side.R) pair.withLeft(found) else pair.withRight(found)
        ready = accepts(pair)
      }
    }
    ready
  }

  def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("the join has no more rows")
    ready = false
    pair
  }

  /** Begins the lookup of the next row that can match anything; false at the end. */
  private[this] def nextProbe(): Boolean = {
    while (!probing && probes.hasNext) {
      val row = probes.next()
      if (attributes.read(row)) {
        lookup.start(attributes.keys)
        if (broadcast eq Side.R) pair.withRight(row) else pair.withLeft(row)
        probing = true
      }
    }
    probing
  }
}
