package io.scalegate.spark.window.stream

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The windows that one batch of a stream gives, in one partition, each row valid until the next is asked for. One
  * thread, the task's, which calls [[finish]] before the batch is committed.
  */
trait WindowsOfBatch extends Iterator[UnsafeRow] {

  /** Panes that were too late for every window. */
  def dropped: Long

  /** Rows of state that were written, and those that were let go of. */
  def updated: Long
  def removed: Long

  /** Merges of partial results. */
  def merges: Long

  /** Brings the state to the end of the batch. To be called when there are no more rows. */
  def finish(): Unit
}
