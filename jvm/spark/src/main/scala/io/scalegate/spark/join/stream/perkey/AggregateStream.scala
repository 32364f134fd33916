package io.scalegate.spark.join.stream.perkey

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow

import io.scalegate.spark.join.aggregate.IntervalResults
import io.scalegate.spark.join.stream.task.{BatchServices, StreamBatch, StreamTerms}
import io.scalegate.spark.rows.AttributeReader
import io.scalegate.stream.Sides

/** Aggregates of the rows of one stream around each row of another, as they travel to the executors. A left row has its
  * results when the watermark has passed the end of its intervals.
  */
final class AggregateStream(terms: StreamTerms, aggregated: AggregatesPerKey)
    extends AnswerStream(terms, aggregated.keys, aggregated.reach) {

  /** Of the task that runs this, for all parts of its batch. */
  @transient private[this] lazy val results: IntervalResults = {
    val columns = terms.inputs.right.output
    IntervalResults(
      aggregated.intervals,
      Nil,
      Nil,
      columns,
      () => AttributeReader(Seq(columns(eventTimes.right)), columns),
      TaskContext.get()
    )
  }

  private[scalegate] def joinWith(
      arrived: Sides[Iterator[InternalRow]],
      batch: StreamBatch,
      before: AnswerState,
      services: BatchServices
  ): AggregateBatch = new AggregateBatch(
    results,
    aggregated.reach,
    arrivals(arrived, batch, before, services),
    before,
    eventTimes,
    batch,
    services
  )
}
