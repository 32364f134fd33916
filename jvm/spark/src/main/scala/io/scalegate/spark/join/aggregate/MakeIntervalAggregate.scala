package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateFunction
}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  Attribute,
  AttributeMap,
  Expression,
  NamedExpression,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.scalegate.CachedPlans

import io.scalegate.spark.join.PythonCondition
import io.scalegate.spark.join.plan.SimplifiedJoin

/** Makes an [[IntervalAggregate]] of what a query asks for, if it can be run as one. Rules call it, on the driver. */
private[aggregate] object MakeIntervalAggregate {

  /** @param rows
    *   the right input
    * @param conditions
    *   of pairs
    * @param functions
    *   over the right input
    * @param results
    *   over the functions' results
    */
  def apply(
      left: LogicalPlan,
      rows: LogicalPlan,
      conditions: Seq[Expression],
      functions: Seq[AggregateExpression],
      results: Seq[NamedExpression]
  ): Option[IntervalAggregate] = {
    val used = conditions.flatMap(_.references.filter(rows.outputSet.contains))
    val inputs = new Inputs
    val terms = AggregateTerms(functions, results)
    // A stream's checkpoint holds right rows, of whose columns it knows the names alone: what these mean stays in the terms.
    val ofColumns =
      if (rows.isStreaming) terms
      else
        terms.copy(
          functions =
            terms.functions.map(_.mapChildren(inputs.column).asInstanceOf[AggregateFunction]),
          filters = terms.filters.map(_.map(inputs.column))
        )
    val columns = (used ++ ofColumns.inputs.filter(rows.outputSet.contains)).distinct
    val right = Project(columns ++ inputs.made, rows)
    val (markers, plain) = conditions.partition(_.isInstanceOf[Prevailing])
    val bounds = markers.flatMap(_.children)
    for {
      condition <- (plain ++ bounds).reduceOption(And.apply)
      part = IntervalPart(condition, ofColumns, keepsLast = markers.nonEmpty)
      made = IntervalAggregate(left, right, Seq(part))
      if markers.size < 2 && isRunnable(made)
    } yield made
  }

  /** The same columns by one operator, where another below aggregates the same right rows around the same times by the same
    * keys; as it is where none does, or where what the other gives is cached.
    */
  def shared(made: IntervalAggregate): LogicalPlan = byOneBelow(made, made.left).getOrElse(made)

  private[this] def byOneBelow(
      made: IntervalAggregate,
      left: LogicalPlan
  ): Option[LogicalPlan] = left match {
    case cached if !cached.isStreaming && CachedPlans.contains(cached) => None
    case below: IntervalAggregate => byOne(below, made)
    case Project(columns, child) =>
      val values = AttributeMap(columns.collect { case a: Alias => a.toAttribute -> a.child })
      def overChild(e: Expression) = e.transform { case a: Attribute => values.getOrElse(a, a) }
      val parts = made.parts.map(p => p.copy(condition = overChild(p.condition)))
      byOneBelow(made.copy(parts = parts), child).map(Project(columns ++ made.results, _))
    case _ => None
  }

  private[this] def byOne(
      below: IntervalAggregate,
      above: IntervalAggregate
  ): Option[LogicalPlan] =
    for {
      (right, renamed) <- sameRows(below.right, above.right)
      parts = above.parts.map(_.transform { case a: Attribute => renamed.getOrElse(a, a) })
      both = below.copy(
        right = right,
        parts = below.parts ++ parts.map(_.asInstanceOf[IntervalPart])
      )
      if isPlain(both) && IntervalAggregateCandidate.goTogether(both.joins.map(candidateOf))
    } yield both

  /** The columns of both of some rows, and for the second's the same columns of the first. */
  private[this] def sameRows(
      first: LogicalPlan,
      second: LogicalPlan
  ): Option[(LogicalPlan, AttributeMap[Attribute])] = (first, second) match {
    case (Project(columns, rows), Project(others, same))
        if rows.deterministic && rows.canonicalized == same.canonicalized =>
      val ofRows = AttributeMap(same.output.zip(rows.output))
      def over(e: NamedExpression) =
        e.transform { case a: Attribute => ofRows.getOrElse(a, a) }.asInstanceOf[NamedExpression]
      var all = columns
      val renamed = others.map { other =>
        val column = over(other)
        val known = all.find(c => valueOf(c).semanticEquals(valueOf(column)))
        if (known.isEmpty) all :+= column
        other.toAttribute -> known.getOrElse(column).toAttribute
      }
      Some((Project(all, rows), AttributeMap(renamed)))
    case _ => None
  }

  private[this] def valueOf(column: NamedExpression): Expression = column match {
    case a: Alias => a.child
    case other => other
  }

  private[this] def isRunnable(made: IntervalAggregate): Boolean =
    (made.left.isStreaming || !made.right.isStreaming) &&
      made.left.outputSet.intersect(made.right.outputSet).isEmpty && isPlain(made) &&
      made.joins.forall(candidateOf(_).isRunnable)

  private[this] def isPlain(made: IntervalAggregate): Boolean = {
    val columns = made.left.outputSet ++ made.right.outputSet
    made.parts.map(_.condition).forall { condition =>
      condition.deterministic && !SubqueryExpression.hasSubquery(condition) &&
      !PythonCondition.isIn(condition) && condition.references.subsetOf(columns)
    }
  }

  private[this] def candidateOf(join: Join): IntervalAggregateCandidate = {
    def stub(input: LogicalPlan) = LocalRelation(input.output)
    new IntervalAggregateCandidate(
      SimplifiedJoin(join.copy(left = stub(join.left), right = stub(join.right)))
    )
  }

  /** The columns that the right input is given for what functions compute of its rows: a function is asked for rows of
    * the interval alone, so an expression that may fail stays in it.
    */
  final private class Inputs {
    private[this] var columns = Vector.empty[Alias]

    def made: Seq[NamedExpression] = columns

    def column(e: Expression): Expression = e match {
      case column: Attribute => column
      case other if other.foldable || other.throwable => other
      case other =>
        val known = columns.find(_.child.semanticEquals(other))
        val column = known.getOrElse {
          val made = Alias(other, s"__scalegate_input${columns.size}")()
          columns :+= made
          made
        }
        column.toAttribute
    }
  }
}
