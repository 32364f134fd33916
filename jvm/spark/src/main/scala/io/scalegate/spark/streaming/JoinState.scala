package io.scalegate.spark.streaming

import io.scalegate.join.WindowRuns
import io.scalegate.stream.Side

/** What one side of a partition holds between two batches.
  *
  * @param chunks
  *   the entries of the checkpoint about this side, and the latest time of each
  * @param waiting
  *   rows that have come and are joined in a later batch
  */
final private[streaming] case class SideState(
    window: WindowRuns[StoredRows],
    chunks: Vector[(ChunkKey, Long)],
    waiting: RowBatch
) {
  def rows: Long = window.size + waiting.size
  def bytes: Long = window.runs.iterator.map(_.rows.bytes).sum + waiting.stored.bytes
}

/** What a partition of a streaming join holds between two batches. Nothing of it changes: a batch makes another.
  *
  * @param watermark
  *   that rows were last expired by, in microseconds
  */
final class JoinState private[streaming] (
    private[streaming] val left: SideState,
    private[streaming] val right: SideState,
    private[streaming] val watermark: Long
) {
  private[streaming] def of(side: Side): SideState = if (side eq Side.R) left else right

  def leftRows: Long = left.rows
  def rightRows: Long = right.rows
  def leftBytes: Long = left.bytes
  def rightBytes: Long = right.bytes
}
