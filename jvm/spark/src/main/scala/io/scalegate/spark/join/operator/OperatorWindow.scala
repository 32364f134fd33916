package io.scalegate.spark.join.operator

import org.apache.spark.sql.catalyst.expressions.{Cast, DateDiff, Expression, Literal}
import org.apache.spark.sql.types.{DateType, LongType}

import io.scalegate.band.IntegralBand
import io.scalegate.spark.bounds.{BoundedDifference, TermType}
import io.scalegate.spark.rows.NodeTerms
import io.scalegate.stream.Sides

/** The window of a join by an operator: `rightTime - leftTime` lies in `[lower, upper]`.
  *
  * @param leftTime
  *   a 64-bit number, as `rightTime` is
  */
final case class OperatorWindow(
    leftTime: Expression,
    rightTime: Expression,
    lower: Long,
    upper: Long
) extends NodeTerms {
  override def children: Seq[Expression] = Seq(leftTime, rightTime)

  override protected def withNewChildrenInternal(
      changed: IndexedSeq[Expression]
  ): OperatorWindow = copy(changed(0), changed(1))

  def times: Sides[Expression] = Sides(leftTime, rightTime)
}

object OperatorWindow {

  /** None where the difference is no whole number of a time's units. */
  def from(d: BoundedDifference): Option[OperatorWindow] =
    if (d.isEmpty || d.range.circular) None
    else
      d.band match {
        case IntegralBand(_, lower, upper) =>
          Some(OperatorWindow(asLong(d.storedLeft), asLong(d.storedRight), lower, upper))
        case _ => None
      }

  /** A time in 64 bits, in an order that is that of its own type. */
  private[join] def asLong(time: Expression): Expression = TermType.from(time.dataType) match {
    case Some(TermType.IntTerm) => Cast(time, LongType)
    case Some(TermType.DateTerm) => Cast(DateDiff(time, Literal(0, DateType)), LongType)
    case _ => time
  }
}
