package io.scalegate.spark.join.stream.state

import io.scalegate.stream.Side

/** The state of a partition of a streaming join between two batches. It is in memory, and in the checkpoint as chunks.
  * Nothing of it changes: a batch makes another, and shares with this one what it did not change.
  */
trait HeldState {

  /** That rows were last joined by, in microseconds. */
  def watermark: Long

  /** The same with more entries of the checkpoint, of each side. */
  def withChunks(more: Side => Vector[(ChunkKey, Long)]): HeldState

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
