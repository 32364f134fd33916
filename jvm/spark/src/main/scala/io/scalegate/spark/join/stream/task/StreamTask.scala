package io.scalegate.spark.join.stream.task

import org.apache.spark.sql.catalyst.InternalRow

import io.scalegate.spark.join.stream.state.{ChunkStore, HeldState}
import io.scalegate.stream.Sides

/** Everything that travels to the executors for one join of two streams. Its states are its own: it is given those
  * alone that it made. A task's thread calls it.
  */
trait StreamTask extends Serializable {

  /** What a partition holds before its first batch. */
  def empty: HeldState

  /** What the checkpoint says that a partition holds. */
  def restored(store: ChunkStore): HeldState

  /** Joins the batch's rows with each other and with those held. The task's end must close it. */
  def join(
      rows: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      state: HeldState,
      services: BatchServices
  ): BatchPairs
}
