package io.scalegate.spark.join.asof

import org.apache.spark.sql.catalyst.expressions.{
  Abs,
  And,
  AttributeSet,
  BinaryComparison,
  EqualTo,
  Expression,
  GreaterThan,
  GreaterThanOrEqual,
  If,
  LessThan,
  LessThanOrEqual,
  Literal,
  Not,
  PredicateHelper,
  Subtract,
  SubtractDates,
  SubtractTimestamps
}
import org.apache.spark.sql.catalyst.plans.logical.{
  AsOfJoin => Spark,
  Join,
  JoinHint,
  LogicalPlan
}
import org.apache.spark.sql.scalegate.SparkNearest

import io.scalegate.lookup.Direction
import io.scalegate.spark.bounds.TermType

/** Spark's own joins with the nearest rows as joins with [[AsOf]] in their condition: `ASOF JOIN … MATCH_CONDITION` and
  * `NEAREST … BY DISTANCE` in SQL, and `merge_asof` of pandas on Spark. Of rows that are as near as each other Spark takes
  * any.
  */
private[asof] object SparkAsOfJoin extends PredicateHelper {

  /** None of one that is left to Spark: of times that have no distance, or that are structs of several; of a distance
    * that is not one of two numbers.
    */
  def unapply(plan: LogicalPlan): Option[Join] = plan match {
    case join: Spark =>
      for {
        (direction, exact, times, tolerance) <- backOrForward(join).orElse(nearest(join))
        asOf = Join(join.left, join.right, join.joinType, join.condition, JoinHint.NONE)
        if isBetween(times, asOf)
      } yield marked(asOf, AsOf(direction, exact, 1, times, tolerance, Nil))
    case SparkNearest(join, rows) =>
      for {
        times <- distance(join)
        if isBetween(times, join)
      } yield {
        val marker = AsOf(Direction.Nearest, exact = true, rows, times, Nil, Nil)
        marked(join.copy(condition = None), marker)
      }
    case _ => None
  }

  private[this] def marked(join: Join, marker: AsOf): Join =
    join.copy(condition = Some((marker +: join.condition.toSeq).reduce(And.apply)))

  private[this] def isBetween(times: BinaryComparison, join: Join): Boolean =
    isOver(times.left, join.left.outputSet) && isOver(times.right, join.right.outputSet) &&
      times.left.dataType == times.right.dataType &&
      TermType.from(times.left.dataType).nonEmpty

  /** The two numbers of a join whose condition is how far apart they are, where that cannot wrap around. */
  private[this] def distance(join: Join): Option[BinaryComparison] = join.condition.collect {
    case Abs(Subtract(a, b, _), failOnError)
        if failOnError || !TermType.from(a.dataType).exists(_.family == "integer") =>
      if (isOver(a, join.left.outputSet)) GreaterThanOrEqual(a, b) else GreaterThanOrEqual(b, a)
  }

  private type Parts = (Direction, Boolean, BinaryComparison, Seq[Expression])

  /** The first of the conjuncts compares the times; the others say how far apart they may be. */
  private[this] def backOrForward(join: Spark): Option[Parts] = {
    val conjuncts = splitConjunctivePredicates(join.asOfCondition)
    val (left, right) = (join.left.outputSet, join.right.outputSet)
    val compared = conjuncts.head match {
      case c: BinaryComparison if isOver(c.left, left) && isOver(c.right, right) => Some(c)
      case GreaterThan(b, a) => Some(LessThan(a, b))
      case GreaterThanOrEqual(b, a) => Some(LessThanOrEqual(a, b))
      case LessThan(b, a) => Some(GreaterThan(a, b))
      case LessThanOrEqual(b, a) => Some(GreaterThanOrEqual(a, b))
      case _ => None
    }
    val ways = compared.collect {
      case c @ (_: GreaterThan | _: GreaterThanOrEqual) => (Direction.Backward, c)
      case c @ (_: LessThan | _: LessThanOrEqual) => (Direction.Forward, c)
    }
    for {
      (direction, c) <- ways
      (from, to) <- difference(join.orderExpression)
      ofLeft = if (direction == Direction.Backward) from else to
      if isOver(ofLeft, left)
    } yield {
      val exact = c.isInstanceOf[GreaterThanOrEqual] || c.isInstanceOf[LessThanOrEqual]
      (direction, exact, c, conjuncts.tail)
    }
  }

  private[this] def nearest(join: Spark): Option[Parts] = join.orderExpression match {
    case If(_, distance, _) =>
      difference(distance).map { case (l, r) =>
        val (differ, tolerance) = splitConjunctivePredicates(join.asOfCondition)
          .filterNot(_ == Literal.TrueLiteral)
          .partition {
            case Not(EqualTo(_, _)) => true
            case _ => false
          }
        (Direction.Nearest, differ.isEmpty, GreaterThanOrEqual(l, r), tolerance)
      }
    case _ => None
  }

  private[this] def difference(e: Expression): Option[(Expression, Expression)] = e match {
    case s: Subtract => Some((s.left, s.right))
    case s: SubtractTimestamps => Some((s.left, s.right))
    case s: SubtractDates => Some((s.left, s.right))
    case _ => None
  }

  private[this] def isOver(e: Expression, side: AttributeSet): Boolean =
    e.references.nonEmpty && e.references.subsetOf(side)
}
