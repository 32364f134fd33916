package io.scalegate.spark.join.stream.rowcount

import scala.collection.immutable.HashMap
import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeProjection, UnsafeRow}

import io.scalegate.band.{AttributeType, IntegralBand}
import io.scalegate.spark.join.stream.state.{Chunk, ChunkStore, HeldState, RowCountWindow}
import io.scalegate.spark.join.stream.task.{
  BatchServices,
  NewRows,
  StoredSide,
  StreamBatch,
  StreamInput,
  StreamTask
}
import io.scalegate.spark.join.{JoinTask, Probing}
import io.scalegate.spark.rows.{RowOrder, RowStore}
import io.scalegate.stream.{Side, Sides}

/** The join of two streams over windows that count the rows of each key, as it travels to the executors. In the
  * checkpoint each row is an entry of its own, which goes when the row leaves its window: keys of which no rows come
  * keep no others' rows.
  *
  * @param inputs
  *   whose one bounded attribute is the event time, NULL where a key is
  * @param keys
  *   whose bytes are the same where they are equal
  * @param residual
  *   the condition, but for the keys
  */
final class RowsPerKeyStream(
    probing: Probing,
    inputs: Sides[StreamInput],
    keys: Sides[Seq[Expression]],
    rows: Long,
    residual: Option[Expression]
) extends JoinTask
    with StreamTask {
  import RowsPerKeyStream._

  private[this] def held(side: Side) = new StoredSide(
    side,
    inputOf(side),
    Bands,
    RowCountWindow(0, rows),
    inTurn = true,
    onlyUnmatched = false
  )

  /** Rows are named in the checkpoint on both sides, whether they are decided on or not. */
  private[this] def inputOf(side: Side) =
    inputs(side).copy(decided = true)

  private[this] def eventTimes = inputs.map(_.eventTime)

  private[this] def keyOf(side: Side): UnsafeProjection =
    UnsafeProjection.create(keys(side), inputs(side).output)

  def empty: RowsPerKeyState = new RowsPerKeyState(
    HashMap.empty,
    SideOfKeys.Empty,
    SideOfKeys.Empty,
    Long.MinValue,
    eventTimes
  )

  def restored(store: ChunkStore): RowsPerKeyState = {
    val chunks = store.chunks.toVector
    val watermark = chunks
      .collectFirst { case c if c.key.kind == Chunk.Watermark => c.latest }
      .getOrElse(Long.MinValue)
    val (l, r) = (restored(Side.R, chunks, watermark), restored(Side.S, chunks, watermark))
    val all = (l.windows.keySet ++ r.windows.keySet).iterator.map { key =>
      def rowsIn(side: RestoredSide) =
        side.windows.get(key).fold(Vector.empty[CountedRow])(_.toVector)
      key -> LastOfKey(rowsIn(l), rowsIn(r))
    }
    new RowsPerKeyState(HashMap.from(all), l.others, r.others, watermark, eventTimes)
  }

  private[this] def restored(
      side: Side,
      chunks: Vector[Chunk],
      watermark: Long
  ): RestoredSide = {
    val (kinds, stored) = (Chunk.ofSide(side), held(side))
    val matched = chunks.iterator
      .filter(_.key.kind == kinds.marks)
      .flatMap(c => Chunk.ids(c.content))
      .toSet
    def rowsOf(chunk: Chunk): Vector[UnsafeRow] = {
      val store = new RowStore(stored.columns, chunk.count.toInt)
      Chunk.rowsInto(store, stored.columns, chunk.content)
      Vector.tabulate(store.size)(store.row)
    }
    val inOrder = new CountedOrder(stored.input.eventTime, stored.rowOrder)
    val all = chunks.filter(_.key.kind == kinds.rows).map { c =>
      val isMarked = matched.contains(Chunk.id(c.key.batch, c.key.part))
      CountedRow(c.key.batch, c.key.part, rowsOf(c).head, isMarked, isWritten = true, isMarked)
    }.sorted(inOrder)
    val unmatchable = chunks.filter(_.key.kind == kinds.unmatchable)
    val unmatchableRows =
      unmatchable.flatMap(rowsOf).filter(inOrder.timeOf(_) > watermark).sorted(inOrder.ofRows)
    val (counted, waiting) = all.span(r => inOrder.timeOf(r.row) <= watermark)
    val windows = mutable.HashMap.empty[UnsafeRow, mutable.ArrayBuffer[CountedRow]]
    val project = keyOf(side)
    counted.foreach { row =>
      val key = project(row.row)
      windows.getOrElseUpdate(key.copy(), mutable.ArrayBuffer.empty) += row
    }
    val others = SideOfKeys(
      waiting,
      unmatchableRows,
      unmatchable.map(c => c.key -> c.latest),
      all.size.toLong,
      all.iterator.map(_.row.getSizeInBytes.toLong).sum
    )
    new RestoredSide(windows, others)
  }

  def join(
      arrived: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      state: HeldState,
      services: BatchServices
  ): RowsPerKeyBatch = {
    val before = state match {
      case own: RowsPerKeyState => own
      case other => throw new IllegalStateException(s"a join that counts per key got $other")
    }
    new RowsPerKeyBatch(
      probing,
      rows,
      Sides.each(side =>
        new CountedArrivals(
          held(side),
          keyOf(side),
          arrived(side),
          batch,
          before.sideState(side),
          services.keepLate(side)
        )
      ),
      accepts(residual, inputs.left.output ++ inputs.right.output),
      before,
      batch,
      services
    )
  }
}

private[scalegate] object RowsPerKeyStream {

  /** The event time alone. */
  private val Bands =
    Vector(IntegralBand(AttributeType.Int64, Long.MinValue, Long.MaxValue))

  /** What the checkpoint says of one side: its windows by their keys, and the rows that wait. */
  final private class RestoredSide(
      val windows: mutable.HashMap[UnsafeRow, mutable.ArrayBuffer[CountedRow]],
      val others: SideOfKeys
  )
}

/** The order of a side's rows: by their times and, where these are equal, by their columns. */
final private[scalegate] class CountedOrder(eventTime: Int, rowOrder: RowOrder)
    extends Ordering[CountedRow] {
  def timeOf(row: UnsafeRow): Long = row.getLong(eventTime)

  val ofRows: Ordering[UnsafeRow] = (a, b) => {
    val byTime = timeOf(a).compareTo(timeOf(b))
    if (byTime != 0) byTime else rowOrder.compare(a, b)
  }

  def compare(a: CountedRow, b: CountedRow): Int = ofRows.compare(a.row, b.row)
}

/** What one side brings to a batch: of the rows that wait and the new ones those whose turn has come, and those that
  * wait on. One thread, the task's; it holds the batch's rows of the side.
  *
  * @param keyOf
  *   of a row of the side
  */
final private[scalegate] class CountedArrivals(
    stored: StoredSide,
    val keyOf: UnsafeProjection,
    rows: Iterator[InternalRow],
    batch: StreamBatch,
    held: SideOfKeys,
    keepLate: UnsafeRow => Unit
) {
  val side: Side = stored.side
  val columns: Int = stored.columns
  val inOrder: CountedOrder = new CountedOrder(stored.input.eventTime, stored.rowOrder)
  private[this] val read = new NewRows(rows, stored, batch.late, keepLate)

  private[this] val fresh = {
    val named = read.named(batch.number, Long.MinValue)
    Vector.tabulate(named.size)(n => CountedRow(batch.number, n, named.stored.row(n).copy()))
  }
  private[this] val newUnmatchable = read.unmatchableInTurn

  /** The rows that are joined in this batch, and those that wait on. */
  val (now: Vector[CountedRow], later: Vector[CountedRow]) =
    inTurn(held.rows ++ fresh)(inOrder).span(r => isDue(r.row))

  /** Rows that match nothing: those that are given in this batch, and those that wait on. */
  val (unmatchableNow: Vector[UnsafeRow], unmatchableLater: Vector[UnsafeRow]) =
    inTurn(held.unmatchable ++ Vector.tabulate(newUnmatchable.size)(n =>
      newUnmatchable.stored.row(n).copy()
    ))(
      inOrder.ofRows
    ).span(isDue)

  /** Rows without a time, which match nothing and are given at once. */
  def unmatchable: Iterator[UnsafeRow] = read.unmatchable

  /** Rows that were too late. */
  def dropped: Long = read.dropped

  /** Puts the new rows that wait into the checkpoint, takes out what has had its turn, and gives what is held.
    *
    * @param evicted
    *   rows that left their windows, and the bytes of these
    */
  def finish(store: ChunkStore, evicted: Long, evictedBytes: Long): SideOfKeys = {
    val kinds = Chunk.ofSide(side)
    val unmatchableChunks =
      Chunk.ofBatch(kinds.unmatchable, batch.number, newUnmatchable, columns, batch.watermark)
    unmatchableChunks.foreach(store.put)
    val (old, kept) = held.unmatchableChunks.partition { case (_, latest) =>
      latest <= batch.watermark
    }
    old.foreach { case (key, _) => store.remove(key) }
    SideOfKeys(
      later.map(written(_, store)),
      unmatchableLater,
      kept ++ unmatchableChunks.map(c => c.key -> c.latest),
      held.held + fresh.size - evicted,
      held.bytes + fresh.iterator.map(_.row.getSizeInBytes.toLong).sum - evictedBytes
    )
  }

  /** The row, which the checkpoint has from now on, and that it has matched. */
  def written(row: CountedRow, store: ChunkStore): CountedRow =
    if (row.isWritten && row.matched == row.isMarked) row
    else {
      val kinds = Chunk.ofSide(side)
      val time = inOrder.timeOf(row.row)
      if (!row.isWritten) store.put(Chunk.ofRow(row.key(kinds.rows), time, row.row))
      if (row.matched && !row.isMarked) store.put(Chunk.ofMark(row.key(kinds.marks), time))
      row.copy(isWritten = true, isMarked = row.matched)
    }

  /** Takes a row that has left its window out of the checkpoint. */
  def remove(row: CountedRow, store: ChunkStore): Unit = {
    val kinds = Chunk.ofSide(side)
    if (row.isWritten) store.remove(row.key(kinds.rows))
    if (row.isMarked) store.remove(row.key(kinds.marks))
  }

  private[this] def isDue(row: UnsafeRow) = inOrder.timeOf(row) <= batch.watermark

  private[this] def inTurn[A](rows: Vector[A])(by: Ordering[A]): Vector[A] = rows.sorted(by)
}
