package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.InternalRow

/** The join of two partitions, one of each input, as it travels to the executors. */
trait PartitionsJoinTask extends Serializable {
  def join(left: Iterator[InternalRow], right: Iterator[InternalRow]): JoinedPairs
}
