package io.scalegate.spark.join.stream.hotkeys

/** What a partition holds after a batch, and what the batch took.
  *
  * @param left
  *   the greatest event time of a row of the left side, as `right` is that of the right one
  */
final case class PartitionReport(partition: Int, left: Long, right: Long, comparisons: Long)
