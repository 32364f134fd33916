package io.scalegate.spark.join.stream.task

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeRow}

import io.scalegate.band.Band
import io.scalegate.spark.join.stream.state.{
  Chunk,
  ChunkStore,
  HeldState,
  JoinState,
  StreamWindow
}
import io.scalegate.spark.join.{JoinTask, Probing}
import io.scalegate.stream.Side

/** The join of two streams over windows whose rows are indexed together, as it travels to the executors.
  *
  * @param inTurn
  *   whether rows wait for the watermark, and the joined rows come in the order of their times
  * @param threads
  *   that look for pairs in one task
  */
final class StreamJoinTask(
    probing: Probing,
    left: StreamInput,
    right: StreamInput,
    bands: IndexedSeq[Band],
    window: StreamWindow,
    residual: Option[Expression],
    inTurn: Boolean,
    threads: Int
) extends JoinTask
    with StreamTask {
  private[this] def held(side: Side) = new StoredSide(
    side,
    if (side eq Side.R) left else right,
    bands,
    window,
    inTurn,
    onlyUnmatched = !probing.pairs && probing.decides(side)
  )

  def empty: JoinState =
    new JoinState(held(Side.R).empty, held(Side.S).empty, Long.MinValue)

  def restored(store: ChunkStore): JoinState = {
    val chunks = store.chunks.toVector
    val watermark = chunks
      .collectFirst { case c if c.key.kind == Chunk.Watermark => c.latest }
      .getOrElse(Long.MinValue)
    def stateOf(side: Side) = held(side).restored(chunks.groupBy(_.key.kind), watermark)
    new JoinState(stateOf(Side.R), stateOf(Side.S), watermark)
  }

  def join(
      l: Iterator[InternalRow],
      r: Iterator[InternalRow],
      batch: StreamBatch,
      state: HeldState,
      store: ChunkStore,
      keepLate: Side => UnsafeRow => Unit,
      waiting: () => Unit
  ): StreamJoinIterator = {
    val before = state match {
      case own: JoinState => own
      case other => throw new IllegalStateException(s"a join that is held in runs got $other")
    }
    def arrived(side: Side, rows: Iterator[InternalRow]) =
      new BatchInput(held(side), rows, batch, before, store, keepLate(side))
    val (ofLeft, ofRight) = (arrived(Side.R, l), arrived(Side.S, r))
    val order =
      if (inTurn) new EventTimeOrder(ofLeft.now, ofRight.now)
      else new ArrivalOrder(ofLeft.now.size, ofRight.now.size)
    val (newLeft, newRight) = (ofLeft.joining(order), ofRight.joining(order))
    new StreamJoinIterator(
      probing,
      newLeft,
      newRight,
      order,
      found(newLeft, newRight, order, waiting),
      UnmatchedRows(newLeft, newRight, order, window, probing),
      before.watermark,
      batch.watermark,
      ofLeft.dropped + ofRight.dropped,
      store
    )
  }

  /** By as many threads as are worth it. */
  private[this] def found(
      l: BatchSide,
      r: BatchSide,
      order: ProbeOrder,
      waiting: () => Unit
  ): FoundPairs = {
    val columns = left.output ++ right.output
    val shares = if (order.size < StreamJoinTask.FewRows) 1 else threads
    FoundPairs(
      order.size,
      Vector.fill(shares)(
        new PairFinder(l, r, order, window, probing, shares == 1, accepts(residual, columns))
      ),
      waiting
    )
  }
}

private object StreamJoinTask {

  /** For fewer a task starts no threads. */
  private val FewRows = 32
}
