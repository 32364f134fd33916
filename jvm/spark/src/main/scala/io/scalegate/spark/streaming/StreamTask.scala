package io.scalegate.spark.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.exec.{PlacedPairs, RowPlace}
import io.scalegate.stream.Side

/** Everything that travels to the executors for one join of two streams. Its states are its own: it is given those alone
  * that it made.
  */
trait StreamTask extends Serializable {

  /** What a partition holds before its first batch. */
  def empty: HeldState

  /** What the checkpoint says that a partition holds. */
  def restored(store: ChunkStore): HeldState

  /** Joins the batch's rows with each other and with those held. The task's end must close it.
    *
    * @param keepLate
    *   is given each row that is too late
    * @param waiting
    *   called now and then while pairs are looked for; may throw
    */
  def join(
      l: Iterator[InternalRow],
      r: Iterator[InternalRow],
      batch: StreamBatch,
      state: HeldState,
      store: ChunkStore,
      keepLate: Side => UnsafeRow => Unit,
      waiting: () => Unit
  ): BatchPairs
}

/** What a partition of a streaming join holds between two batches. Nothing of it changes: a batch makes another. */
trait HeldState {

  /** The greatest event time, in microseconds, of a row of this side that a later one may match. */
  def latest(side: Side): Long

  /** About how many bytes it takes in memory. */
  def memory: Long

  def leftRows: Long
  def rightRows: Long

  /** Of the rows. */
  def leftBytes: Long
  def rightBytes: Long
}

/** The rows that one batch adds to a streaming join, in one partition. One thread. */
abstract class BatchPairs(leftPlace: RowPlace, rightPlace: RowPlace)
    extends PlacedPairs(leftPlace, rightPlace) {

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
