package io.scalegate.spark.join.stream.perkey

import org.apache.spark.sql.catalyst.InternalRow

import io.scalegate.spark.join.stream.task.{BatchServices, StreamBatch, StreamTerms}
import io.scalegate.stream.Sides

/** The as-of join of two streams, as it travels to the executors. A left row has its answer when the watermark says that
  * all right rows have come that it may be: at the row's own time, looking backward, and the tolerance later, looking
  * forward.
  *
  * @param nearest
  *   with keys, if only of none of its terms
  */
final class NearestStream(
    terms: StreamTerms,
    nearest: NearestPerKey
) extends AnswerStream(terms, nearest.keys, nearest.reach) {
  private[scalegate] def joinWith(
      arrived: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      before: AnswerState,
      services: BatchServices
  ): NearestBatch =
    new NearestBatch(
      terms.probing,
      nearest,
      arrivals(arrived, batch, before, services),
      condition(_),
      before,
      eventTimes,
      batch,
      services
    )
}
