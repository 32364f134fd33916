package io.scalegate.spark.join

import org.apache.spark.sql.catalyst.expressions.{And, AttributeSet, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}

import io.scalegate.spark.plan.PythonCall

/** What rules do that move filters below our nodes, as Spark moves them below its own. */
private[join] trait MovesFilters extends PredicateHelper {

  /** The conjuncts that can be evaluated earlier on these columns, and the others. */
  protected def split(
      condition: Expression,
      columns: AttributeSet
  ): (Seq[Expression], Seq[Expression]) =
    splitConjunctivePredicates(condition).partition(c =>
      c.references.subsetOf(columns) && isMovable(c)
    )

  protected def isMovable(c: Expression): Boolean = c.deterministic && !c.throwable

  /** Functions in Python that a join's tasks would have called are Spark's again in a filter. */
  protected def filtered(input: LogicalPlan, conjuncts: Seq[Expression]): LogicalPlan =
    conjuncts.map(PythonCall.shown).reduceOption(And.apply).fold(input)(Filter(_, input))
}
