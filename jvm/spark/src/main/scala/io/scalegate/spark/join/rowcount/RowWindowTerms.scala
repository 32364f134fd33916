package io.scalegate.spark.join.rowcount

import org.apache.spark.sql.catalyst.expressions.Expression

import io.scalegate.spark.rows.NodeTerms
import io.scalegate.stream.Sides

/** A window that counts rows: all of a side's, or those of each key.
  *
  * @param leftTime
  *   of a left row, as `rightTime` is of a right one
  * @param leftKeys
  *   by which left rows are counted, as right ones are by `rightKeys`; none where all rows count
  * @param rows
  *   that it holds of each side
  * @param threads
  *   of the task, if it is known how many
  */
final case class RowWindowTerms(
    leftTime: Expression,
    rightTime: Expression,
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    rows: Sides[Long],
    threads: Option[Int]
) extends NodeTerms {
  override def children: Seq[Expression] = Seq(leftTime, rightTime) ++ leftKeys ++ rightKeys

  override protected def withNewChildrenInternal(
      changed: IndexedSeq[Expression]
  ): RowWindowTerms = {
    val changes = new NodeTerms.Changed(changed)
    copy(changes.one, changes.one, changes.in(leftKeys), changes.in(rightKeys))
  }

  def times: Sides[Expression] = Sides(leftTime, rightTime)

  def keys: Sides[Seq[Expression]] = Sides(leftKeys, rightKeys)

  /** What a task's rows are sorted by: keys, time and columns. */
  def order(inputs: Sides[Seq[Expression]]): Sides[Seq[Expression]] =
    keys.zip(times.zip(inputs)).map { case (sideKeys, (time, columns)) =>
      (sideKeys :+ time) ++ columns
    }
}
