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
    KeyedRow(batch.number, batch.named(side) + n, named.stored.row(n).copy())
  )
  private[this] val newUnmatchable = read.unmatchableInTurn

  /** The rows that are joined in this batch, and those that wait on. */
  val (now: Vector[KeyedRow], later: Vector[KeyedRow]) =
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
  def finish(store: ChunkStore, evicted: Long, evictedBytes: Long): SideOfKeys =
    finished(store, Nil, batch.watermark, evicted, evictedBytes, later.map(written(_, store)))

  /** The same where rows go by their times alone: in the checkpoint the new ones lie in chunks.
    *
    * @param upTo
    *   rows whose times are not above this are of no use any more
    */
  def finishByTime(
      store: ChunkStore,
      upTo: Long,
      evicted: Long,
      evictedBytes: Long
  ): SideOfKeys = {
    val rows = Chunk.ofBatch(Chunk.ofSide(side).rows, batch.number, named, columns, upTo)
    finished(store, rows, upTo, evicted, evictedBytes, later)
  }

  private[this] def finished(
      store: ChunkStore,
      rows: Seq[Chunk],
      upTo: Long,
      evicted: Long,
      evictedBytes: Long,
      waiting: Vector[KeyedRow]
  ): SideOfKeys = {
    val kinds = Chunk.ofSide(side)
    val added = store.add(
      rows ++ Chunk.ofBatch(
        kinds.unmatchable,
        batch.number,
        newUnmatchable,
        columns,
        batch.watermark
      )
    )
    store.evict(side, upTo)
    val (old, kept) = held.chunks.partition { case (key, latest) =>
      latest <= (if (key.kind == kinds.unmatchable) batch.watermark else upTo)
    }
    old.foreach { case (key, _) => store.remove(key) }
    SideOfKeys(
      waiting,
      unmatchableLater,
      kept ++ added,
      held.held + fresh.size - evicted,
      held.bytes + fresh.iterator.map(_.row.getSizeInBytes.toLong).sum - evictedBytes
    )
  }

  /** The row, which the checkpoint has from now on, and that it has matched. */
  def written(row: KeyedRow, store: ChunkStore): KeyedRow =
    if (row.isWritten && row.matched == row.isMarked) row
    else {
      val kinds = Chunk.ofSide(side)
      val time = inOrder.timeOf(row.row)
      if (!row.isWritten) store.put(Chunk.ofRow(row.key(kinds.rows), time, row.row))
      if (row.matched && !row.isMarked) store.put(Chunk.ofMark(row.key(kinds.marks), time))
      row.copy(isWritten = true, isMarked = row.matched)
    }

  /** Takes a row that has left its window out of the checkpoint. */
  def remove(row: KeyedRow, store: ChunkStore): Unit = {
    val kinds = Chunk.ofSide(side)
    if (row.isWritten) store.remove(row.key(kinds.rows))
    if (row.isMarked) store.remove(row.key(kinds.marks))
  }

  private[this] def isDue(row: UnsafeRow) = inOrder.timeOf(row) <= batch.watermark

  private[this] def inTurn[A](rows: Vector[A])(by: Ordering[A]): Vector[A] = rows.sorted(by)
}
