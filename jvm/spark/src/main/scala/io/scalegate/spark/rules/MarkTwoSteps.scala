package io.scalegate.spark.rules

import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.optimizer.RewritePredicateSubquery
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Filter,
  Join,
  LogicalPlan,
  Project,
  Subquery
}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.join.plan.WindowJoinStrategy
import io.scalegate.spark.plan.InTwoSteps
import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.spark.window.SlidingAggregate

/** Puts a [[TwoSteps]] above each operator that may be run in two steps. One that gives one side's rows alone needs it
  * too: the exchange that has run first may be the other side's.
  *
  * A correlated subquery has none until Spark has made a join of it: it takes the subquery's nodes apart before. Of a
  * filter by `EXISTS` or `IN` it makes one after this rule, so the filter gets the mark of the joins that it becomes.
  *
  * This rule is the last before the cost-based ones.
  */
object MarkTwoSteps extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case Subquery(_, true) => plan
    case _ if !ScaleGateConf.enabled(conf) => plan
    case _ => marked(plan)
  }

  private[this] def marked(plan: LogicalPlan): LogicalPlan = plan match {
    case steps: TwoSteps => steps.mapChildren(within)
    // Above the projection, which a source's own pushdown looks for above the filter.
    case Project(_, filter: Filter) if becomesSuch(filter) => TwoSteps(plan.mapChildren(within))
    case filter: Filter if becomesSuch(filter) => TwoSteps(within(filter))
    case operator if isRunSo(operator) => TwoSteps(within(operator))
    case other => within(other)
  }

  private[this] def within(plan: LogicalPlan): LogicalPlan =
    plan.mapChildren(marked).transformExpressions { case s: SubqueryExpression =>
      s.withNewPlan(marked(s.plan))
    }

  /** Whether Spark's rule will make a join of this filter that is run in two steps. */
  private[this] def becomesSuch(filter: Filter): Boolean =
    SubqueryExpression.hasInOrCorrelatedExistsSubquery(filter.condition) &&
      joinsMadeOf(filter).exists(isRunSo)

  private[this] def joinsMadeOf(filter: Filter): Seq[Join] = {
    def above(plan: LogicalPlan): Seq[Join] = plan match {
      case input if input eq filter.child => Nil
      case join: Join => join +: above(join.left)
      case _: Project | _: Filter => plan.children.flatMap(above)
      case _ => Nil
    }
    above(RewritePredicateSubquery(filter))
  }

  private[this] def isRunSo(plan: LogicalPlan): Boolean = plan match {
    case join: Join => WindowJoinStrategy.runs(join)
    case _: InTwoSteps => !plan.children.forall(_.isStreaming)
    case SlidingAggregate(found) =>
      found.windows.kept && !plan.asInstanceOf[Aggregate].isStreaming
    case _ => false
  }
}
