package io.scalegate.spark.streaming

import java.util.BitSet

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeRow}

import io.scalegate.join.{Band, WindowRuns}
import io.scalegate.spark.exec.{AttributeReader, JoinTask, Probing, RowStore}
import io.scalegate.stream.Side

/** A batch of a streaming query, as a task sees it.
  *
  * @param number
  *   of the batch
  * @param late
  *   rows whose event time is not above this are too late, in microseconds
  * @param watermark
  *   rows that match nothing whose event time is above this expire, in microseconds
  */
final case class StreamBatch(number: Long, late: Long, watermark: Long)

/** Everything that travels to the executors for one streaming window join.
  *
  * @param ordered
  *   whether rows wait for the watermark, and the joined rows come in the order of their times
  */
final class StreamJoinTask(
    val probing: Probing,
    left: StreamInput,
    right: StreamInput,
    bands: IndexedSeq[Band],
    time: StreamTime,
    residual: Option[Expression],
    val ordered: Boolean
) extends JoinTask {
  private[this] val types = bands.map(_.attribute)

  private[streaming] def input(side: Side): StreamInput = if (side eq Side.R) left else right

  private[streaming] def expired(side: Side, watermark: Long): Long =
    time.expired(side, watermark)

  /** Rows whose time is not above this are of no use once the watermark is there. */
  private[this] def gone(side: Side, watermark: Long): Long =
    if (ordered) math.min(watermark, expired(side, watermark)) else expired(side, watermark)

  /** Joins the batch's rows with each other and with those held.
    *
    * @param keepLate
    *   is given each row that is too late
    */
  def join(
      l: Iterator[InternalRow],
      r: Iterator[InternalRow],
      batch: StreamBatch,
      held: JoinState,
      store: ChunkStore,
      keepLate: Side => UnsafeRow => Unit
  ): StreamJoinIterator = {
    val read = Seq(Side.R -> l, Side.S -> r).map { case (side, rows) =>
      val in = input(side)
      val canonical = in.decided || ordered
      new NewRows(rows, in, types, side, time.key, batch.late, keepLate(side), canonical)
    }
    new StreamJoinIterator(
      this,
      side(Side.R, read(0), batch, held, store),
      side(Side.S, read(1), batch, held, store),
      accepts(residual, left.output ++ right.output),
      held.watermark,
      batch.watermark,
      read.map(_.dropped).sum,
      store
    )
  }

  private[this] def side(
      side: Side,
      read: NewRows,
      batch: StreamBatch,
      held: JoinState,
      store: ChunkStore
  ): NewSide = {
    val in = input(side)
    val columns = in.output.length
    val useless = gone(side, batch.watermark)
    val fresh = read.named(batch.number, useless)
    val chunks = Chunk.ofBatch(side, batch.number, fresh, columns, useless)
    chunks.foreach(store.put)
    val (now, later) = released(held.of(side).waiting, fresh, in, batch.watermark)
    new NewSide(
      side,
      in,
      now,
      read.unmatchable,
      later,
      held.of(side),
      chunks.map(c => c.key -> c.latest).toVector,
      batch.number,
      expired(side, batch.watermark),
      useless
    )
  }

  /** The rows that are joined in this batch, and those that wait: where the order matters, the ones that others may
    * still come before.
    */
  private[this] def released(
      waiting: RowBatch,
      fresh: RowBatch,
      in: StreamInput,
      watermark: Long
  ): (RowBatch, RowBatch) =
    if (!ordered) (fresh, waiting)
    else {
      val keeper = keeperOf(in)
      val all = waiting.merged(fresh, keeper, in.output.length)
      val first = all.firstAfter(watermark)
      (all.slice(0, first, keeper), all.slice(first, all.size, keeper))
    }

  /** What a partition holds before its first batch. */
  def empty: JoinState = new JoinState(emptySide(Side.R), emptySide(Side.S), Long.MinValue)

  private[this] def emptySide(side: Side) =
    SideState(window(side), Vector.empty, none(input(side)))

  private[this] def none(in: StreamInput) =
    new RowBatch(
      types.map(_ => Array.emptyLongArray),
      keeperOf(in).gather(Vector.empty, Array.emptyLongArray),
      time.key
    )

  /** What the checkpoint says that a partition holds. */
  def restored(store: ChunkStore): JoinState = {
    val chunks = store.chunks.toVector
    val watermark = chunks
      .collectFirst { case c if c.key.kind == Chunk.Watermark => c.latest }
      .getOrElse(Long.MinValue)
    def of(side: Side, rows: Int, marks: Int) = restoredSide(
      side,
      chunks.filter(_.key.kind == rows).sortBy(c => (c.key.batch, c.key.part)),
      chunks.filter(_.key.kind == marks),
      watermark
    )
    new JoinState(
      of(Side.R, Chunk.LeftRows, Chunk.LeftMarks),
      of(Side.S, Chunk.RightRows, Chunk.RightMarks),
      watermark
    )
  }

  private[this] def restoredSide(
      side: Side,
      rows: Seq[Chunk],
      marks: Seq[Chunk],
      watermark: Long
  ): SideState = {
    val in = input(side)
    val columns = in.output.length
    val matched = mutable.HashSet.empty[Long]
    marks.foreach(m => matched ++= Chunk.ids(m.content))
    val chunks = rows.map { c =>
      val store = new RowStore(columns, c.count.toInt)
      Chunk.rowsInto(store, columns, c.content)
      val first = c.key.part * Chunk.Rows
      val ids = Array.tabulate(store.size)(n => Chunk.id(c.key.batch, first + n))
      val marked = new BitSet
      ids.indices.filter(n => matched.contains(ids(n))).foreach(marked.set)
      new StoredRows(store, null, ids, marked)
    }
    val places = for ((c, i) <- chunks.zipWithIndex; n <- 0 until c.size)
      yield (i.toLong << 32) | n.toLong
    val keeper = keeperOf(in)
    val held = keeper.gather(chunks.toVector, places.toArray)
    val all = none(in).merged(inOrder(in, held, keeper), keeper, columns)
    val first = if (ordered) all.firstAfter(watermark) else all.size
    val now = all.slice(0, first, keeper)
    val empty = window(side)
    SideState(
      if (first == 0) empty
      else empty.add(empty.runOf(now.keys, now.stored), expired(side, watermark)),
      (rows ++ marks).map(c => c.key -> c.latest).toVector,
      all.slice(first, all.size, keeper)
    )
  }

  /** Rows of several batches in the order of their times. */
  private[this] def inOrder(
      in: StreamInput,
      rows: StoredRows,
      keeper: StoredRowsKeeper
  ): RowBatch = {
    val keys = keysOf(in, rows)
    val order = RowBatch.canonical(keys(time.key), in.output.length)(rows.point)
    new RowBatch(
      keys.map(k => order.map(k(_))),
      keeper.gather(Vector(rows), order.map(_.toLong)),
      time.key
    )
  }

  private[this] def keysOf(in: StreamInput, rows: StoredRows): IndexedSeq[Array[Long]] = {
    val keys = types.map(_ => new Array[Long](rows.size))
    val reader = new AttributeReader(in.bounded, types, in.output)
    val row = new UnsafeRow(in.output.length)
    for (n <- 0 until rows.size) {
      rows.point(row, n)
      reader.read(row)
      for (i <- keys.indices) keys(i)(n) = reader.keys(i)
    }
    keys
  }

  private[this] def window(side: Side): WindowRuns[StoredRows] = {
    val in = input(side)
    val onlyUnmatched = in.decided && !probing.pairs
    WindowRuns.empty(
      bands,
      side,
      time.key,
      new StoredRowsKeeper(in.output.length, in.decided, onlyUnmatched)
    )
  }

  private[this] def keeperOf(in: StreamInput) =
    new StoredRowsKeeper(in.output.length, in.decided, onlyUnmatched = false)
}
