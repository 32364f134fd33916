package io.scalegate.spark.join.stream.task

import scala.reflect.ClassTag

import org.apache.spark.sql.catalyst.InternalRow

import io.scalegate.spark.join.stream.state.{ChunkStore, HeldState}
import io.scalegate.stream.Sides

/** Everything that travels to the executors for one join of two streams. Its states are its own: it is given those
  * alone that it made. A task's thread calls it.
  *
  * A batch is joined at once, or, in Real-Time Mode, in parts, each of them as its rows come.
  */
trait StreamTask extends Serializable {

  /** Its own states. */
  type State <: HeldState

  protected def stateClass: ClassTag[State]

  /** What a partition holds before its first batch. */
  def empty: State

  /** What the checkpoint says that a partition holds. */
  def restored(store: ChunkStore): State

  /** Joins the batch's rows with each other and with those held. The task's end must close it. */
  def join(
      rows: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      state: HeldState,
      services: BatchServices
  ): BatchPairs = {
    val before = own(state)
    joinWith(rows, batch.since(before.watermark), before, services)
  }

  /** Joins a batch or a part of one, whose rows come after those of `before`. */
  private[scalegate] def joinWith(
      rows: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      before: State,
      services: BatchServices
  ): BatchPairs

  /** Whether rows come when the watermark moves, and no row with it. */
  private[scalegate] def givesAtWatermark: Boolean

  /** Columns of each input. */
  private[scalegate] def columns: Sides[Int]

  /** The state as one of its own. */
  private[scalegate] def own(state: HeldState): State = stateClass.unapply(state).getOrElse(
    throw new IllegalStateException(s"a join was given the state of another: $state")
  )
}
