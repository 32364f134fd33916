package io.scalegate.spark.join.stream.task

import org.apache.spark.sql.catalyst.InternalRow

import io.scalegate.spark.join.stream.state.{Chunk, ChunkStore, HeldState, JoinState}
import io.scalegate.stream.{Side, Sides}

/** A join of two streams whose batches may be joined in parts, each of them as its rows come: so it is in Real-Time
  * Mode. A task's thread calls it.
  */
trait PartedTask extends StreamTask {

  /** How each side is held. */
  protected def held: Sides[StoredSide]

  /** Whether rows come when the watermark moves, and no row with it. */
  private[scalegate] def givesAtWatermark: Boolean

  /** Columns of each input. */
  private[scalegate] def columns: Sides[Int] = held.map(_.columns)

  /** Joins a part, whose rows come after those of `before`. The task's end must close it. */
  private[scalegate] def joinWith(
      rows: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      before: JoinState,
      services: BatchServices
  ): BatchPairs

  def empty: JoinState = new JoinState(held.left.empty, held.right.empty, Long.MinValue)

  def restored(store: ChunkStore): JoinState = {
    val chunks = store.chunks.toVector
    val watermark = Chunk.watermarkOf(chunks)
    def stateOf(side: Side) = held(side).restored(chunks.groupBy(_.key.kind), watermark)
    new JoinState(stateOf(Side.R), stateOf(Side.S), watermark)
  }

  def join(
      rows: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      state: HeldState,
      services: BatchServices
  ): BatchPairs = {
    val before = own(state)
    joinWith(rows, batch.since(before.watermark), before, services)
  }

  private[scalegate] def own(state: HeldState): JoinState = state match {
    case own: JoinState => own
    case other => throw new IllegalStateException(s"a join that is held in runs got $other")
  }
}
