package io.scalegate.spark.join.stream.rowcount

import scala.collection.immutable.HashMap

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.join.stream.state.{ChunkKey, HeldState}
import io.scalegate.stream.{Side, Sides}

/** A row of a window that counts the rows of each key; nothing of it changes.
  *
  * @param batch
  *   in which it came
  * @param number
  *   its number among its side's rows of that batch: by both it is named in the checkpoint
  * @param row
  *   of its own, which keeps no other row's memory
  * @param matched
  *   whether it has matched anything, on a side whose rows are decided on
  * @param isWritten
  *   whether the checkpoint has it
  * @param isMarked
  *   whether the checkpoint has it that it has matched
  */
final private[scalegate] case class CountedRow(
    batch: Long,
    number: Int,
    row: UnsafeRow,
    matched: Boolean = false,
    isWritten: Boolean = false,
    isMarked: Boolean = false
) {
  def key(kind: Int): ChunkKey = ChunkKey(kind, batch, number)
}

/** The last rows of both sides that have one key, the oldest first. */
final private[scalegate] case class LastOfKey(
    left: Vector[CountedRow],
    right: Vector[CountedRow]
) {
  def rows(side: Side): Vector[CountedRow] = if (side eq Side.R) left else right
}

private[scalegate] object LastOfKey {
  val None: LastOfKey = LastOfKey(Vector.empty, Vector.empty)
}

/** What comes before a side's windows: rows that wait for the watermark, in their order.
  *
  * @param rows
  *   those that will be counted
  * @param unmatchable
  *   those that match nothing and are given when it is their turn
  * @param unmatchableChunks
  *   their entries in the checkpoint, and the latest time of each
  * @param held
  *   rows that wait, or are in windows
  * @param bytes
  *   of these
  */
final private[scalegate] case class SideOfKeys(
    rows: Vector[CountedRow],
    unmatchable: Vector[UnsafeRow],
    unmatchableChunks: Vector[(ChunkKey, Long)],
    held: Long,
    bytes: Long
)

private[scalegate] object SideOfKeys {
  val Empty: SideOfKeys = SideOfKeys(Vector.empty, Vector.empty, Vector.empty, 0L, 0L)
}

/** The state of a partition of a join over windows that count the rows of each key, see [[HeldState]]. Of each key it
  * holds the last rows of both sides: it grows with the keys. A batch makes another of it, which shares the windows of
  * all keys that the batch has no rows of.
  *
  * @param watermark
  *   that rows were last joined by, in microseconds
  * @param eventTimes
  *   the column of each side's event time
  */
final private[scalegate] class RowsPerKeyState(
    val keys: HashMap[UnsafeRow, LastOfKey],
    val left: SideOfKeys,
    val right: SideOfKeys,
    val watermark: Long,
    val eventTimes: Sides[Int]
) extends HeldState {
  def sideState(side: Side): SideOfKeys = if (side eq Side.R) left else right

  def latest(side: Side): Long = {
    val column = eventTimes(side)
    (keys.valuesIterator.flatMap(_.rows(side).lastOption) ++ sideState(side).rows.lastOption)
      .map(_.row.getLong(column))
      .maxOption
      .getOrElse(Long.MinValue)
  }

  def memory: Long = leftBytes + rightBytes +
    (leftRows + rightRows) * RowsPerKeyState.RowBytes + keys.size * RowsPerKeyState.KeyBytes

  def leftRows: Long = left.held + left.unmatchable.size
  def rightRows: Long = right.held + right.unmatchable.size
  def leftBytes: Long = left.bytes
  def rightBytes: Long = right.bytes
}

private[scalegate] object RowsPerKeyState {

  /** About what the objects around a row, and around a key, take. */
  private val RowBytes = 120L
  private val KeyBytes = 200L
}
