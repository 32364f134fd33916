package io.scalegate.spark.join.asof

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{
  Add,
  BinaryComparison,
  Expression,
  GreaterThanOrEqual,
  LessThanOrEqual,
  Literal,
  Subtract
}
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.sql.types.{Decimal, StringType}
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}

import io.scalegate.lookup.Direction
import io.scalegate.spark.bounds.TermType
import io.scalegate.spark.join.WholeInputMarker
import io.scalegate.spark.settings.{Errors, FunctionText}

/** `asof(left_time, right_time, …)` and `nearest(left_time, right_time, k, …)`: of a pair of rows of a join, the right one
  * is the nearest to the left one in time, or among the `most` nearest, of all right rows that the rest of the join's
  * condition lets it meet. It holds only of whole inputs, never of two rows alone, so a plan that would have to evaluate
  * it is refused.
  *
  * @param times
  *   compares the left time with the right one, so that Spark brings both to one type as it does those of any comparison;
  *   it is not a part of what is evaluated
  * @param exact
  *   whether a right row of the left one's own time counts
  * @param tolerance
  *   conditions that the times satisfy besides
  * @param ties
  *   over the right side: of right rows of equal times, the order in which they stand
  */
final case class AsOf(
    direction: Direction,
    exact: Boolean,
    most: Int,
    times: Expression,
    tolerance: Seq[Expression],
    ties: Seq[Expression]
) extends Expression
    with WholeInputMarker {

  override def children: Seq[Expression] = (times +: tolerance) ++ ties

  def leftTime: Expression = times.asInstanceOf[BinaryComparison].left
  def rightTime: Expression = times.asInstanceOf[BinaryComparison].right

  override def nullable: Boolean = false
  override def misplaced: Exception = Errors.asOfMisplaced(sql)
  override def prettyName: String = AsOf.Name

  override def sql: String = {
    val within = if (tolerance.isEmpty) "" else tolerance.map(_.sql).mkString(", ", " AND ", "")
    s"$prettyName(${times.children.map(_.sql).mkString(", ")}, '$direction'$within)"
  }

  override def checkInputDataTypes(): TypeCheckResult = {
    val (l, r) = (leftTime.dataType, rightTime.dataType)
    if (l == r && TermType.from(l).nonEmpty) TypeCheckSuccess
    else TypeCheckResult.TypeCheckFailure(Errors.asOfTypes(l, r))
  }

  override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): Expression =
    copy(
      // Constants that Spark has compared are no times.
      times = if (changed.head.isInstanceOf[BinaryComparison]) changed.head else times,
      tolerance = changed.slice(1, 1 + tolerance.size),
      ties = changed.drop(1 + tolerance.size)
    )
}

object AsOf {
  val Name: String = FunctionText.AsOf.name
  val NearestName: String = FunctionText.Nearest.name

  /** More rows than this for each left one are a mistake; Spark's own `NEAREST` stops there, too. */
  val MostRows = 100000

  /** Whether an expression has one in it. */
  def isIn(e: Expression): Boolean = e.exists(_.isInstanceOf[AsOf])

  /** Builds it from the arguments of a call of `asof`. */
  def fromArguments(arguments: Seq[Expression]): Expression = arguments match {
    case left +: right +: rest =>
      AsOf(
        rest.headOption.fold[Direction](Direction.Backward)(direction),
        rest.lift(2).forall(truth),
        1,
        (left, right),
        rest.lift(1),
        rest.drop(3)
      )
    case other => throw Errors.asOfArguments(Name, other.size)
  }

  /** The same of `nearest`. */
  def fromNearestArguments(arguments: Seq[Expression]): Expression = arguments match {
    case left +: right +: k +: rest =>
      AsOf(
        rest.lift(1).fold[Direction](Direction.Nearest)(direction),
        rest.lift(2).forall(truth),
        rows(k),
        (left, right),
        rest.headOption,
        rest.drop(3)
      )
    case other => throw Errors.asOfArguments(NearestName, other.size)
  }

  private def apply(
      direction: Direction,
      exact: Boolean,
      most: Int,
      times: (Expression, Expression),
      reach: Option[Expression],
      ties: Seq[Expression]
  ): AsOf = {
    val (left, right) = times
    val within = reach.filterNot(isNull)
    within.foreach(refuseNegative)
    AsOf(
      direction,
      exact,
      most,
      GreaterThanOrEqual(left, right),
      within.toSeq.flatMap(conditions(direction, left, right, _)),
      ties
    )
  }

  private[this] def conditions(
      direction: Direction,
      left: Expression,
      right: Expression,
      reach: Expression
  ): Seq[Expression] = {
    val lower = Option.when(direction != Direction.Forward)(
      GreaterThanOrEqual(right, Subtract(left, reach))
    )
    val upper =
      Option.when(direction != Direction.Backward)(LessThanOrEqual(right, Add(left, reach)))
    lower.toSeq ++ upper
  }

  private[this] def isNull(e: Expression): Boolean = e match {
    case Literal(null, _) => true
    case _ => false
  }

  private[this] def direction(e: Expression): Direction = {
    val name = constant(e) match {
      case text: UTF8String if e.dataType.isInstanceOf[StringType] => text.toString
      case _ => e.sql
    }
    Direction.from(name).getOrElse(throw Errors.asOfDirection(name))
  }

  private[this] def truth(e: Expression): Boolean = constant(e) match {
    case flag: Boolean => flag
    case _ => throw Errors.asOfExact(e.sql)
  }

  private[this] def rows(e: Expression): Int = constant(e) match {
    case i: Int if i > 0 && i <= MostRows => i
    case l: Long if l > 0 && l <= MostRows => l.toInt
    case _ => throw Errors.nearestRows(MostRows, e.sql)
  }

  private[this] def constant(e: Expression): Any =
    if (e.foldable && e.resolved) e.eval() else null

  private[this] def refuseNegative(reach: Expression): Unit = {
    val negative = constant(reach) match {
      case n: Byte => n < 0
      case n: Short => n < 0
      case n: Int => n < 0
      case n: Long => n < 0
      case n: Float => n < 0
      case n: Double => n < 0
      case n: Decimal => n < Decimal(0)
      case i: CalendarInterval => IntervalUtils.isNegative(i)
      case _ => !reach.foldable && reach.resolved
    }
    if (negative) throw Errors.asOfTolerance(reach.sql)
  }
}
