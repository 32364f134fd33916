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

/** Everything that travels to the executors for one streaming window join. */
final class StreamJoinTask(
    val probing: Probing,
    left: StreamInput,
    right: StreamInput,
    bands: IndexedSeq[Band],
    time: StreamTime,
    residual: Option[Expression]
) extends JoinTask {
  private[this] val types = bands.map(_.attribute)

  private[streaming] def input(side: Side): StreamInput = if (side eq Side.R) left else right

  private[streaming] def expired(side: Side, watermark: Long): Long =
    time.expired(side, watermark)

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
    val fresh = Seq(Side.R -> l, Side.S -> r).map { case (side, rows) =>
      val in = input(side)
      val read = new NewRows(rows, in, types, side, time.key, batch.late, keepLate(side))
      new NewSide(side, in, read, held.of(side), batch.number, expired(side, batch.watermark))
    }
    fresh.foreach(_.writeRows(store))
    new StreamJoinIterator(
      this,
      fresh(0),
      fresh(1),
      accepts(residual, left.output ++ right.output),
      held.watermark,
      batch.watermark,
      store
    )
  }

  /** What a partition holds before its first batch. */
  def empty: JoinState =
    new JoinState(
      SideState(window(Side.R), Vector.empty),
      SideState(window(Side.S), Vector.empty),
      Long.MinValue
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
    val all = new StoredRowsKeeper(columns, in.decided, onlyUnmatched = false)
      .gather(chunks.toVector, places.toArray)
    val none = window(side)
    val run = none.runOf(keysOf(in, all), all)
    SideState(
      none.add(run, expired(side, watermark)),
      (rows ++ marks).map(c => c.key -> c.latest).toVector
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
}
