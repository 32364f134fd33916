package io.scalegate.spark.join.stream.perkey

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression

import io.scalegate.spark.join.Probing
import io.scalegate.spark.join.stream.task.{BatchServices, StreamBatch, StreamInput}
import io.scalegate.stream.Sides

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
) extends AnswerStream(inputs, nearest.keys, nearest.reach, residual) {
  private[scalegate] def joinWith(
      arrived: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      before: AnswerState,
      services: BatchServices
  ): NearestBatch =
    new NearestBatch(
      probing,
      nearest,
      arrivals(arrived, batch, before, services),
      condition,
      before,
      eventTimes,
      batch,
      services
    )
}
