package io.scalegate.spark.join.operator

import org.apache.spark.sql.catalyst.expressions.{
  And,
  Attribute,
  AttributeMap,
  EqualTo,
  Expression
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.scalegate.band.{Band, FloatingBand, IntegralBand}
import io.scalegate.spark.join.{IndexTerms, JoinKeys}
import io.scalegate.spark.rows.NodeTerms
import io.scalegate.stream.{SaturatingMath, Side, Sides, TimeWindow}

/** What the join of an input with itself goes by: of two rows the later one meets the earlier one, within a window and
  * bands that hold whichever of the two is the left row.
  *
  * @param side
  *   whose rows the input's are; the other side's are the same
  * @param left
  *   the left row's columns, in the order of the input's, as `right` are the right row's
  * @param keys
  *   that bring rows together, over the input as are the next two; none where all meet in one task
  * @param time
  *   a 64-bit number
  * @param bounded
  *   the banded attributes, the keys among them
  * @param window
  *   of the later time minus the earlier one
  * @param bands
  *   each as wide to either side
  * @param condition
  *   all that the query says of a left row and a right row; None where any two rows within the window and the bands are a
  *   pair in either order, and each row with itself
  */
final case class SelfJoinTerms(
    side: Side,
    left: Seq[Attribute],
    right: Seq[Attribute],
    keys: Seq[Expression],
    time: Expression,
    bounded: Seq[Expression],
    window: TimeWindow,
    bands: Vector[Band],
    condition: Option[Expression]
) extends NodeTerms {
  override def children: Seq[Expression] =
    left ++ right ++ keys ++ Seq(time) ++ bounded ++ condition

  override protected def withNewChildrenInternal(
      changed: IndexedSeq[Expression]
  ): SelfJoinTerms = {
    val changes = new NodeTerms.Changed(changed)
    def attributes(before: Seq[Attribute]) = changes.in(before).map(_.asInstanceOf[Attribute])
    copy(
      side,
      attributes(left),
      attributes(right),
      changes.in(keys),
      changes.one,
      changes.in(bounded),
      window,
      bands,
      changes.in(condition)
    )
  }

  def columns: Sides[Seq[Attribute]] = Sides(left, right)
}

object SelfJoinTerms {

  /** None where the inputs are not the same rows, or the condition goes by other columns of the right row than of the left
    * one.
    *
    * @param inputs
    *   of an inner join
    * @param terms
    *   the banded attributes, the keys among them
    * @param rest
    *   of the condition, beside the keys
    */
  def from(
      inputs: Sides[LogicalPlan],
      keys: JoinKeys,
      window: OperatorWindow,
      terms: IndexTerms,
      rest: Option[Expression]
  ): Option[SelfJoinTerms] =
    for {
      same <- SameInput.in(inputs)
      by = Sides(
        keys.left ++ Seq(window.leftTime) ++ terms.left,
        keys.right ++ Seq(window.rightTime) ++ terms.right
      )
      bands = terms.by.bands.toVector
      if areTwins(by, same.columns) && bands.forall(hasMirror)
    } yield {
      val isEitherWay = same.others.isEmpty && terms.residual.isEmpty &&
        window.lower == SaturatingMath.subtract(0, window.upper) && bands.forall(isEven)
      val equal = keys.left.zip(keys.right).map { case (l, r) => EqualTo(l, r) }
      SelfJoinTerms(
        same.side,
        same.columns.left,
        same.columns.right,
        keys.sides(same.side),
        window.times(same.side),
        terms.attributes(same.side),
        later(window),
        bands.map(even),
        if (isEitherWay) None else (equal ++ same.others ++ rest).reduceOption(And.apply)
      )
    }

  /** Whether the expressions of both rows are the same, of columns that are. */
  private[this] def areTwins(by: Sides[Seq[Expression]], columns: Sides[Seq[Attribute]]) = {
    val toRight = AttributeMap(columns.left.zip(columns.right))
    by.left.size == by.right.size && by.left.lazyZip(by.right).forall { (l, r) =>
      l.transform { case a: Attribute => toRight.getOrElse(a, a) }.semanticEquals(r)
    }
  }

  /** How far the later row may be behind the earlier one, whichever is the left row. */
  private[this] def later(window: OperatorWindow): TimeWindow = {
    import window.{lower, upper}
    val ifLeftIsEarlier = Option.when(upper >= 0)(TimeWindow(math.max(lower, 0), upper))
    val ifLeftIsLater = Option.when(lower <= 0)(
      TimeWindow(
        math.max(SaturatingMath.subtract(0, upper), 0),
        SaturatingMath.subtract(0, lower)
      )
    )
    (ifLeftIsEarlier ++ ifLeftIsLater).reduce { (a, b) =>
      TimeWindow(math.min(a.lower, b.lower), math.max(a.upper, b.upper))
    }
  }

  /** Whether a whole number is as far from another as that from it. */
  private[this] def isEven(band: Band) = band match {
    case IntegralBand(_, lower, upper) => lower == -upper
    case _: FloatingBand => false
  }

  /** Whether 64 bits hold how far the band reaches to either side. */
  private[this] def hasMirror(band: Band) = band match {
    case IntegralBand(_, lower, _) => lower > Long.MinValue
    case _: FloatingBand => true
  }

  /** The band and its mirror image, and what lies between. */
  private[this] def even(band: Band): Band = band match {
    case IntegralBand(attribute, lower, upper) =>
      val farthest = math.max(upper, -lower)
      IntegralBand(attribute, -farthest, farthest)
    case FloatingBand(attribute, lower, upper, rounding) =>
      val farthest = math.max(upper, -lower)
      FloatingBand(attribute, -farthest, farthest, rounding)
  }
}
