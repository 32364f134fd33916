package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateFunction
}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  Attribute,
  Expression,
  NamedExpression,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical.{
  Join,
  JoinHint,
  LocalRelation,
  LogicalPlan,
  Project
}

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
      if markers.size < 2 && isRunnable(left, right, condition)
    } yield IntervalAggregate(left, right, condition, ofColumns, keepsLast = markers.nonEmpty)
  }

  private[this] def isRunnable(
      left: LogicalPlan,
      right: LogicalPlan,
      condition: Expression
  ): Boolean = {
    def stub(input: LogicalPlan) = LocalRelation(input.output)
    val plain = condition.deterministic && !SubqueryExpression.hasSubquery(condition) &&
      !PythonCondition.isIn(condition)
    plain && (left.isStreaming || !right.isStreaming) &&
    left.outputSet.intersect(right.outputSet).isEmpty &&
    condition.references.subsetOf(left.outputSet ++ right.outputSet) && {
      val join = Join(stub(left), stub(right), LeftOuter, Some(condition), JoinHint.NONE)
      new IntervalAggregateCandidate(SimplifiedJoin(join)).isRunnable
    }
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
