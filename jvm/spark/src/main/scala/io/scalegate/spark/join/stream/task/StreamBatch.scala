package io.scalegate.spark.join.stream.task

/** A batch of a streaming query, as a task sees it.
  *
  * @param number
  *   of the batch
  * @param late
  *   rows whose event time is not above this are too late, in microseconds
  * @param watermark
  *   rows that match nothing whose event time is above this expire, in microseconds
  */
final case class StreamBatch(number: Long, late: Long, watermark: Long)
