package io.scalegate.spark.join.stream.perkey

import scala.collection.immutable.HashMap
import scala.reflect.{ClassTag, classTag}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression

import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.stream.state.ChunkStore
import io.scalegate.spark.join.stream.task.{BatchServices, StreamBatch, StreamInput}
import io.scalegate.stream.{Side, Sides}

/** The as-of join of two streams, as it travels to the executors. A left row has its answer when the watermark says that
  * all right rows have come that it may be: at the row's own time, looking backward, and the tolerance later, looking
  * forward.
  *
  * @param nearest
  *   with keys, if only of none of its terms
  * @param residual
  *   what a pair must satisfy beside equal keys and times in reach
  */
final class NearestStream(
    probing: Probing,
    inputs: Sides[StreamInput],
    nearest: NearestPerKey,
    residual: Option[Expression]
) extends KeyedStream(inputs, nearest.keys) {
  type State = NearestState

  protected def stateClass: ClassTag[NearestState] = classTag[NearestState]

  protected def turn(side: Side, watermark: Long): Long =
    if (side eq Side.R) nearest.reach.decided(watermark) else watermark

  def empty: NearestState = new NearestState(
    HashMap.empty,
    SideOfKeys.Empty,
    SideOfKeys.Empty,
    Long.MinValue,
    Long.MinValue,
    eventTimes
  )

  def restored(store: ChunkStore): NearestState = {
    val (sides, watermark) = restoredSides(store)
    new NearestState(
      HashMap.from(sides.right.keys.iterator.map(key => key -> sides.right.rows(key))),
      sides.left.others,
      sides.right.others,
      watermark,
      Long.MinValue,
      eventTimes
    )
  }

  private[scalegate] def joinWith(
      arrived: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      before: NearestState,
      services: BatchServices
  ): NearestBatch =
    new NearestBatch(
      probing,
      nearest,
      arrivals(arrived, batch, before, services),
      accepts(residual, inputs.left.output ++ inputs.right.output),
      before,
      eventTimes,
      batch,
      services
    )
}
