package io.scalegate.spark.join.stream.perkey

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.spark.join.stream.state.{ChunkKey, HeldState}
import io.scalegate.stream.{Side, Sides}

/** What a side holds beside the rows of its keys: rows that wait for the watermark, in their order.
  *
  * @param rows
  *   those that will be joined
  * @param unmatchable
  *   those that match nothing and are given when it is their turn
  * @param chunks
  *   the entries in the checkpoint that hold these, or rows that go by their times alone, and the latest time of each
  * @param held
  *   rows that wait, or are with their keys
  * @param bytes
  *   of these
  */
final private[scalegate] case class SideOfKeys(
    rows: Vector[KeyedRow],
    unmatchable: Vector[UnsafeRow],
    chunks: Vector[(ChunkKey, Long)],
    held: Long,
    bytes: Long
)

private[scalegate] object SideOfKeys {
  val Empty: SideOfKeys = SideOfKeys(Vector.empty, Vector.empty, Vector.empty, 0L, 0L)
}

/** The state of a partition of a join that holds the rows of each key apart, see [[HeldState]].
  *
  * @param left
  *   what it holds of the left side beside the rows of the keys, as `right` is of the right one
  * @param watermark
  *   that rows were last joined by, in microseconds
  * @param eventTimes
  *   the column of each side's event time
  */
abstract private[scalegate] class KeyedState(
    val left: SideOfKeys,
    val right: SideOfKeys,
    val watermark: Long,
    eventTimes: Sides[Int]
) extends HeldState {

  /** The same with other rows beside those of the keys. */
  protected def withOthers(left: SideOfKeys, right: SideOfKeys): KeyedState

  def withChunks(more: Side => Vector[(ChunkKey, Long)]): KeyedState = {
    def withMore(side: Side) = {
      val others = sideState(side)
      others.copy(chunks = others.chunks ++ more(side))
    }
    withOthers(withMore(Side.R), withMore(Side.S))
  }

  /** How many keys there are, and the last row of a side that each of them has. */
  protected def keyCount: Int
  protected def lastOfKeys(side: Side): Iterator[KeyedRow]

  def sideState(side: Side): SideOfKeys = if (side eq Side.R) left else right

  def latest(side: Side): Long = {
    val column = eventTimes(side)
    (lastOfKeys(side) ++ sideState(side).rows.lastOption)
      .map(_.row.getLong(column))
      .maxOption
      .getOrElse(Long.MinValue)
  }

  def memory: Long = leftBytes + rightBytes +
    (leftRows + rightRows) * KeyedState.RowBytes + keyCount * KeyedState.KeyBytes

  def leftRows: Long = left.held + left.unmatchable.size
  def rightRows: Long = right.held + right.unmatchable.size
  def leftBytes: Long = left.bytes
  def rightBytes: Long = right.bytes
}

private[scalegate] object KeyedState {

  /** About what the objects around a row, and around a key, take. */
  private val RowBytes = 120L
  private val KeyBytes = 200L
}
