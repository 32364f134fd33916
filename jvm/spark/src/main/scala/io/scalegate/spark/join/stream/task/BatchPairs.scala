package io.scalegate.spark.join.stream.task

import io.scalegate.spark.join.stream.state.HeldState
import io.scalegate.spark.join.{AddressedPairs, RowAddress}

/** The rows that one batch adds to a streaming join, in one partition. One thread, the task's, which calls [[finish]]
  * before the batch is committed.
  */
abstract class BatchPairs(leftAddress: RowAddress, rightAddress: RowAddress)
    extends AddressedPairs(leftAddress, rightAddress) {

  /** Rows that were tested against another; complete when there are no more rows. */
  def comparisons: Long

  /** Rows that were joined for the first time. */
  def added: Long

  /** Rows that were too late. */
  def dropped: Long

  /** Writes what later batches need, and gives what is held from now on. To be called when there are no more rows. */
  def finish(): HeldState

  /** Ends the search, whether all rows were taken or not. */
  def close(): Unit
}
