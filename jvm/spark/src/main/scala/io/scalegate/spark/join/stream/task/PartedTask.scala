package io.scalegate.spark.join.stream.task

import scala.reflect.ClassTag

import org.apache.spark.sql.catalyst.InternalRow

import io.scalegate.spark.join.stream.state.{HeldState, PartedState}
import io.scalegate.stream.Sides

/** A join of two streams whose batches may be joined in parts, each of them as its rows come: so it is in Real-Time
  * Mode. A task's thread calls it.
  */
trait PartedTask extends StreamTask {

  /** Its own states. */
  type State <: PartedState

  protected def stateClass: ClassTag[State]

  /** Whether rows come when the watermark moves, and no row with it. */
  private[scalegate] def givesAtWatermark: Boolean

  /** Columns of each input. */
  private[scalegate] def columns: Sides[Int]

  /** Joins a part, whose rows come after those of `before`. The task's end must close it. */
  private[scalegate] def joinWith(
      rows: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      before: State,
      services: BatchServices
  ): BatchPairs

  def join(
      rows: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      state: HeldState,
      services: BatchServices
  ): BatchPairs = {
    val before = own(state)
    joinWith(rows, batch.since(before.watermark), before, services)
  }

  /** The state as one of its own. */
  private[scalegate] def own(state: HeldState): State = stateClass.unapply(state).getOrElse(
    throw new IllegalStateException(s"a join was given the state of another: $state")
  )
}
