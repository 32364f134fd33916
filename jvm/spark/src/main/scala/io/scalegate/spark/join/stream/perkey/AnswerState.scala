package io.scalegate.spark.join.stream.perkey

import scala.collection.immutable.HashMap

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.scalegate.stream.{Side, Sides}

/** The state of a partition of a join in which each left row has one answer, made of the right rows of its key: the left
  * rows whose answers are not final yet, the right rows that are above the watermark, and of each key those right rows at
  * or below it that an answer may yet be made of. A batch makes another of it, which shares the rows of all keys that the
  * batch has no right rows of.
  *
  * @param keys
  *   of each its right rows, in the order of their times
  * @param swept
  *   the watermark by which the rows of all keys were last looked through for those that no answer can be any more
  */
final private[scalegate] class AnswerState(
    val keys: HashMap[UnsafeRow, Vector[KeyedRow]],
    left: SideOfKeys,
    right: SideOfKeys,
    watermark: Long,
    val swept: Long,
    eventTimes: Sides[Int]
) extends KeyedState(left, right, watermark, eventTimes) {
  protected def withOthers(left: SideOfKeys, right: SideOfKeys): AnswerState =
    new AnswerState(keys, left, right, watermark, swept, eventTimes)

  protected def keyCount: Int = keys.size

  protected def lastOfKeys(side: Side): Iterator[KeyedRow] =
    if (side eq Side.R) Iterator.empty else keys.valuesIterator.flatMap(_.lastOption)
}
