package io.scalegate.spark.join.stream.perkey

import scala.collection.immutable.HashMap

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.stream.{Side, Sides}

/** The last rows of both sides that have one key, the oldest first. */
final private[scalegate] case class LastOfKey(
    left: Vector[KeyedRow],
    right: Vector[KeyedRow]
) {
  def rows(side: Side): Vector[KeyedRow] = if (side eq Side.R) left else right

  /** With one more row of a side, of which no more than so many are held. */
  def and(side: Side, row: KeyedRow, most: Long): LastOfKey = {
    val last = (rows(side) :+ row).takeRight(math.min(most, Int.MaxValue).toInt)
    if (side eq Side.R) copy(left = last) else copy(right = last)
  }
}

private[scalegate] object LastOfKey {
  val None: LastOfKey = LastOfKey(Vector.empty, Vector.empty)
}

/** The state of a partition of a join over windows that count the rows of each key. Of each key it holds the last rows of
  * both sides: it grows with the keys. A batch makes another of it, which shares the windows of all keys that the batch
  * has no rows of.
  */
final private[scalegate] class RowsPerKeyState(
    val keys: HashMap[UnsafeRow, LastOfKey],
    left: SideOfKeys,
    right: SideOfKeys,
    watermark: Long,
    eventTimes: Sides[Int]
) extends KeyedState(left, right, watermark, eventTimes) {
  protected def withOthers(left: SideOfKeys, right: SideOfKeys): RowsPerKeyState =
    new RowsPerKeyState(keys, left, right, watermark, eventTimes)

  protected def keyCount: Int = keys.size

  protected def lastOfKeys(side: Side): Iterator[KeyedRow] =
    keys.valuesIterator.flatMap(_.rows(side).lastOption)
}
