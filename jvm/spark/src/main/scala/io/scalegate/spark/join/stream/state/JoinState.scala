package io.scalegate.spark.join.stream.state

import io.scalegate.lookup.WindowRuns
import io.scalegate.stream.Side

/** The state of one side of a partition between two batches. Nothing of it changes.
  *
  * @param chunks
  *   the entries of the checkpoint about this side, and the latest time of each
  * @param joined
  *   rows that have been joined so far, those before the last rebuild that are of no use any more left out
  * @param waiting
  *   rows that have come and are joined in a later batch
  * @param unmatchable
  *   unmatchable rows that have come and are given in a later batch
  */
final private[scalegate] case class SideState(
    window: WindowRuns[StoredRows],
    chunks: Vector[(ChunkKey, Long)],
    joined: Long,
    waiting: RowBatch,
    unmatchable: RowBatch
) {

  /** The greatest event time of a row that is held and of use. */
  def latest: Long = chunks.iterator.map(_._2).maxOption.getOrElse(Long.MinValue)

  def rows: Long = window.size + waiting.size + unmatchable.size

  /** Of the rows. */
  def bytes: Long =
    window.runs.iterator.map(_.rows.bytes).sum + waiting.stored.bytes + unmatchable.stored.bytes
}

/** The state of a partition whose windows are indexed, see [[HeldState]]. Its rows are those that a later batch may
  * match or decide, and expired ones that were not let go of yet.
  *
  * @param watermark
  *   that rows were last expired by, in microseconds
  */
final class JoinState private[scalegate] (
    private[scalegate] val left: SideState,
    private[scalegate] val right: SideState,
    val watermark: Long
) extends HeldState {
  def withChunks(more: Side => Vector[(ChunkKey, Long)]): JoinState = {
    def withMore(side: Side) = {
      val state = sideState(side)
      state.copy(chunks = state.chunks ++ more(side))
    }
    new JoinState(withMore(Side.R), withMore(Side.S), watermark)
  }

  private[scalegate] def sideState(side: Side): SideState = if (side eq Side.R) left else right

  def latest(side: Side): Long = sideState(side).latest

  /** About how many it takes in memory: those of the rows, and of the indexes on them. */
  def memory: Long = leftBytes + rightBytes + left.window.bytes + right.window.bytes

  def leftRows: Long = left.rows
  def rightRows: Long = right.rows
  def leftBytes: Long = left.bytes
  def rightBytes: Long = right.bytes
}
