package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.InternalRow

/** Joins two partitions. */
trait PartitionsJoinTask extends Serializable {
  def join(left: Iterator[InternalRow], right: Iterator[InternalRow]): JoinedPairs
}
