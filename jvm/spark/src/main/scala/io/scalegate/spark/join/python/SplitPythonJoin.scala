package io.scalegate.spark.join.python

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  Attribute,
  AttributeMap,
  EqualTo,
  Expression,
  GreaterThan,
  GreaterThanOrEqual,
  LessThan,
  LessThanOrEqual,
  MonotonicallyIncreasingID
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, JoinHint, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.plans.{
  FullOuter,
  Inner,
  JoinType,
  LeftAnti,
  LeftOuter,
  LeftSemi,
  RightOuter
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.internal.SQLConf

import io.scalegate.lookup.Direction
import io.scalegate.spark.join.PythonCondition
import io.scalegate.spark.join.asof.{AsOf, ExtractAsOfJoin}
import io.scalegate.spark.join.rowcount.ExtractRowWindowJoin
import io.scalegate.spark.plan.ReadOnce
import io.scalegate.spark.settings.{Errors, ScaleGateConf}

/** Makes of each [[PythonJoin]] an inner join that finds candidates, a filter of these by the functions in Python, which
  * Spark evaluates in batches, and a join of the input's rows with what is left of the candidates, by numbers that the
  * rows are given. An input whose rows are to be found again is read once, into an exchange that both joins share
  * ([[ReadOnce]]), since its rows must have the same numbers in both.
  *
  * The rule runs before the cost-based ones, when filters and columns have been moved below the join.
  */
object SplitPythonJoin extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf)) plan
    else
      plan.transformUpWithSubqueries { case join: PythonJoin =>
        if (!conf.exchangeReuseEnabled)
          throw Errors.pythonReadOnce(SQLConf.EXCHANGE_REUSE_ENABLED.key)
        Project(join.output, rows(join))
      }

  private[this] def rows(node: PythonJoin): LogicalPlan = {
    val condition = PythonCondition.of(node.join).get
    val markers = condition.candidates.collect { case m: AsOf => m }
    val left = if (node.joinType == RightOuter) asItIs(node.left) else numbered(node.left)
    val right = node.joinType match {
      case RightOuter | FullOuter => numbered(node.right)
      case _ => asItIs(node.right)
    }
    val found = chosen(node, condition, left, right)
    def by(side: Input): Expression = EqualTo(side.number.get, side.foundNumber.get)
    def join(l: LogicalPlan, r: LogicalPlan, how: JoinType, on: Expression) =
      Join(l, r, how, Some(on), JoinHint.NONE)
    (markers.headOption, node.joinType) match {
      case (Some(marker), how) =>
        val columns = Project(left.foundNumber.toSeq ++ right.plan.output, found)
        ExtractAsOfJoin.node(join(left.plan, columns, how, And(by(left), marker)))
      case (_, LeftSemi | LeftAnti) =>
        join(left.plan, Project(left.foundNumber.toSeq, found), node.joinType, by(left))
      case (_, FullOuter) =>
        val numbers = Project(left.foundNumber.toSeq ++ right.foundNumber, found)
        val lefts = join(left.plan, numbers, LeftOuter, by(left))
        join(lefts, right.plan, FullOuter, by(right))
      case (_, RightOuter) =>
        val columns = Project(right.foundNumber.toSeq ++ left.plan.output, found)
        join(columns, right.plan, RightOuter, by(right))
      case _ =>
        val columns = Project(left.foundNumber.toSeq ++ right.plan.output, found)
        join(left.plan, columns, LeftOuter, by(left))
    }
  }

  /** The candidates that the functions accept. */
  private[this] def chosen(
      node: PythonJoin,
      condition: PythonCondition,
      left: Input,
      right: Input
  ): LogicalPlan = {
    val renamed = AttributeMap((left.renamed ++ right.renamed).toSeq)
    def over(e: Expression) = e.transform { case a: Attribute => renamed.getOrElse(a, a) }
    val conjuncts = condition.candidates.flatMap {
      case m: AsOf => inReach(m)
      case other => Seq(other)
    }
    val pairs =
      Join(
        left.found,
        right.found,
        Inner,
        conjuncts.map(over).reduceOption(And.apply),
        node.hint
      )
    Filter(condition.python.map(over).reduce(And.apply), ExtractRowWindowJoin(pairs))
  }

  /** What bounds the times of a right row that may be chosen. */
  private[this] def inReach(marker: AsOf): Seq[Expression] = {
    val (left, right) = (marker.leftTime, marker.rightTime)
    val order = marker.direction match {
      case Direction.Backward =>
        Some(if (marker.exact) LessThanOrEqual(right, left) else LessThan(right, left))
      case Direction.Forward =>
        Some(if (marker.exact) GreaterThanOrEqual(right, left) else GreaterThan(right, left))
      case Direction.Nearest => None
    }
    order.toSeq ++ marker.tolerance
  }

  /** An input of the join.
    *
    * @param plan
    *   its rows, in its own columns
    * @param number
    *   the rows' numbers, the last of its columns, if they have any
    * @param found
    *   the same rows for the candidates
    * @param renamed
    *   its columns and what they are there, where that is something else
    * @param foundNumber
    *   the numbers there
    */
  final private[this] case class Input(
      plan: LogicalPlan,
      number: Option[Attribute],
      found: LogicalPlan,
      renamed: Map[Attribute, Attribute],
      foundNumber: Option[Attribute]
  )

  private[this] def asItIs(input: LogicalPlan): Input = Input(input, None, input, Map.empty, None)

  private[this] def numbered(input: LogicalPlan): Input = {
    val number = Alias(MonotonicallyIncreasingID(), "__scalegate_row")()
    val rows = Project(input.output :+ number, input)
    val copies = ReadOnce(Seq(rows, rows), "the numbers that join them with what Python accepts")
    val found = copies.last.copy(atRest = true)
    val others = found.output.map(a => Alias(a, a.name)())
    val renamed = found.output.zip(others.map(_.toAttribute))
    Input(
      copies.head,
      Some(number.toAttribute),
      Project(others, found),
      renamed.toMap,
      Some(renamed.last._2)
    )
  }
}
