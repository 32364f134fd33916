package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, Expression, SortOrder}

import io.scalegate.band.IntegralBand
import io.scalegate.spark.join.JoinKeys
import io.scalegate.spark.rows.{NodeTerms, RowOrder}
import io.scalegate.stream.Sides

/** Which right rows belong to a left one.
  *
  * @param keys
  *   equal in both: the query's, behind the cell where rows are cut
  * @param leftTime
  *   over the left input, a whole number as `rightTime` is over the right one
  * @param keepsLast
  *   whether the last right row before the interval counts, too
  */
final private[scalegate] case class IntervalTerms(
    keys: JoinKeys,
    leftTime: Expression,
    rightTime: Expression,
    band: IntegralBand,
    keepsLast: Boolean
) extends NodeTerms {
  override def children: Seq[Expression] = Seq(keys, leftTime, rightTime)

  override protected def withNewChildrenInternal(
      changed: IndexedSeq[Expression]
  ): IntervalTerms =
    copy(changed(0).asInstanceOf[JoinKeys], changed(1), changed(2))

  def times: Sides[Expression] = Sides(leftTime, rightTime)

  /** How the inputs are to come sorted.
    *
    * @param settled
    *   whether right rows of one time are to come in an order that does not depend on how they arrived
    */
  def ordering(right: Seq[Attribute], settled: Boolean): Sides[Seq[SortOrder]] = {
    val byTime = keys.sides.zip(times).map { case (keys, time) =>
      (keys :+ time).map(SortOrder(_, Ascending))
    }
    if (settled) Sides(byTime.left, byTime.right ++ RowOrder.termsOf(right)) else byTime
  }
}
