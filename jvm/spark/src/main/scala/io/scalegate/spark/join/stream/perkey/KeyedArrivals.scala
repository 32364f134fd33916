package io.scalegate.spark.join.stream.perkey

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

import io.scalegate.spark.join.stream.state.{Chunk, ChunkStore}
import io.scalegate.spark.join.stream.task.{NewRows, StoredSide, StreamBatch}
import io.scalegate.stream.Side

/** What one side brings to a batch: of the rows that wait and the new ones those whose turn has come, and those that
  * wait on. One thread, the task's; it holds the batch's rows of the side.
  *
  * @param keyOf
  *   of a row of the side
  */
final private[scalegate] class KeyedArrivals(
    stored: StoredSide,
    val keyOf: UnsafeProjection,
    rows: Iterator[InternalRow],
    batch: StreamBatch,
    held: SideOfKeys,
    keepLate: UnsafeRow => Unit
) {
  val side: Side = stored.side
  val columns: Int = stored.columns
  val inOrder: KeyedOrder = new KeyedOrder(stored.input.eventTime, stored.rowOrder)
  private[this] val read = new NewRows(rows, stored, batch.late, keepLate)

  private[this] val named = read.named(batch, Long.MinValue)
  private[this] val fresh = Vector.tabulate(named.size)(n =>
    KeyedRow(batch.number, batch.named(side) + n, named.stored.row(n).copy(), named.timeOf(n))
  )
  private[this] val newUnmatchable = read.unmatchableInTurn

  /** The rows that are joined in this batch, and those that wait on. */
  val (now: Vector[KeyedRow], later: Vector[KeyedRow]) =
    inTurn(held.rows ++ fresh)(inOrder).span(_.time <= batch.watermark)

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

  /** Puts the new rows that wait into the checkpoint, takes out what has had its turn, and gives what is held. Of the rows
    * that had it, those that are held are [[written]] one by one.
    *
    * @param evicted
    *   rows that left their windows, and the bytes of these
    */
  def finish(store: ChunkStore, evicted: Long, evictedBytes: Long): SideOfKeys =
    finished(kinds.waiting, batch.watermark, store, evicted, evictedBytes)

  /** The same where rows go by their times alone.
    *
    * @param upTo
    *   rows whose times are not above this are of no use any more
    */
  def finishByTime(
      upTo: Long,
      store: ChunkStore,
      evicted: Long,
      evictedBytes: Long
  ): SideOfKeys = finished(kinds.rows, upTo, store, evicted, evictedBytes)

  private[this] def kinds = Chunk.ofSide(side)

  private[this] def finished(
      kind: Int,
      upTo: Long,
      store: ChunkStore,
      evicted: Long,
      evictedBytes: Long
  ): SideOfKeys = {
    store.name(side, batch.named(side) + fresh.size)
    val added = store.add(
      Chunk.ofBatch(kind, batch.number, named, columns, upTo) ++
        Chunk.ofBatch(
          kinds.unmatchable,
          batch.number,
          newUnmatchable,
          columns,
          batch.watermark
        )
    )
    store.evict(side, upTo)
    val (old, kept) = held.chunks.partition { case (key, latest) =>
      latest <= (if (key.kind == kind) upTo else batch.watermark)
    }
    old.foreach { case (key, _) => store.remove(key) }
    SideOfKeys(
      later,
      unmatchableLater,
      kept ++ added,
      held.held + fresh.size - evicted,
      held.bytes + fresh.iterator.map(_.bytes.toLong).sum - evictedBytes
    )
  }

  /** The row, which the checkpoint has from now on, and that it has matched. */
  def written(row: KeyedRow, store: ChunkStore): KeyedRow =
    if (row.isWritten && row.matched == row.isMarked) row
    else {
      if (!row.isWritten) store.put(Chunk.ofRow(row.key(kinds.rows), row.time, row.row))
      if (row.matched && !row.isMarked) store.put(Chunk.ofMark(row.key(kinds.marks), row.time))
      row.copy(isWritten = true, isMarked = row.matched)
    }

  /** Takes a row that has left its window out of the checkpoint. */
  def remove(row: KeyedRow, store: ChunkStore): Unit = {
    if (row.isWritten) store.remove(row.key(kinds.rows))
    if (row.isMarked) store.remove(row.key(kinds.marks))
  }

  private[this] def isDue(row: UnsafeRow) = inOrder.timeOf(row) <= batch.watermark

  private[this] def inTurn[A](rows: Vector[A])(by: Ordering[A]): Vector[A] = rows.sorted(by)
}
