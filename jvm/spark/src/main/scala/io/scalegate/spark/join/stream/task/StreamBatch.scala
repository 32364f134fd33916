package io.scalegate.spark.join.stream.task

import io.scalegate.stream.Sides

/** A batch of a streaming query, or a part of one, as a task sees it.
  *
  * @param number
  *   of the batch
  * @param late
  *   rows whose event time is not above this are too late, in microseconds
  * @param watermark
  *   rows that match nothing whose event time is above this expire, in microseconds
  * @param named
  *   rows of each side that earlier parts of the batch have put into the checkpoint
  */
final case class StreamBatch(
    number: Long,
    late: Long,
    watermark: Long,
    named: Sides[Int] = Sides(0, 0)
) {

  /** The same for a state whose rows have expired by this watermark: that of a query that ran in Real-Time Mode may be
    * ahead of Spark's.
    */
  def since(expired: Long): StreamBatch =
    copy(late = math.max(late, expired), watermark = math.max(watermark, expired))
}
