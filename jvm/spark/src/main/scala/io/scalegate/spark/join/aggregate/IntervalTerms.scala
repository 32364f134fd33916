package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  AttributeSet,
  Expression,
  SortOrder
}

import io.scalegate.spark.join.JoinKeys
import io.scalegate.spark.rows.{NodeTerms, RowOrder}
import io.scalegate.stream.Sides

/** Which right rows belong to a left one, and what is computed of them.
  *
  * @param keys
  *   equal in both: the query's, behind the cell where rows are cut
  * @param leftTime
  *   over the left input, a whole number as `rightTime` is over the right one
  */
final private[scalegate] case class IntervalTerms(
    keys: JoinKeys,
    leftTime: Expression,
    rightTime: Expression,
    intervals: Seq[SlidingInterval]
) extends NodeTerms {
  override def children: Seq[Expression] = Seq(keys, leftTime, rightTime) ++ intervals

  override protected def withNewChildrenInternal(
      changed: IndexedSeq[Expression]
  ): IntervalTerms = IntervalTerms(
    changed(0).asInstanceOf[JoinKeys],
    changed(1),
    changed(2),
    changed.drop(3).map(_.asInstanceOf[SlidingInterval])
  )

  def times: Sides[Expression] = Sides(leftTime, rightTime)

  /** Of all intervals. */
  def results: Seq[Attribute] = intervals.flatMap(_.aggregates.output)

  /** What the operator makes, and its inputs do not have. */
  def produced: AttributeSet =
    AttributeSet.fromAttributeSets(intervals.map(_.aggregates.produced))

  /** How the inputs are to come sorted: right rows of one time in an order that does not depend on how they arrived, where
    * results depend on that.
    */
  def ordering(right: Seq[Attribute]): Sides[Seq[SortOrder]] = {
    val settled = intervals.exists(i => i.keepsLast || i.aggregates.isOrdered)
    val byTime = keys.sides.zip(times).map { case (keys, time) =>
      (keys :+ time).map(SortOrder(_, Ascending))
    }
    if (settled) Sides(byTime.left, byTime.right ++ RowOrder.termsOf(right)) else byTime
  }
}
