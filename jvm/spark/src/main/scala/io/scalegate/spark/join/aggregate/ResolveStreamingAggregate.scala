package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, ScalarSubquery}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LateralJoin, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{LATERAL_JOIN, SCALAR_SUBQUERY}

import io.scalegate.spark.settings.{Errors, ScaleGateConf}

/** Makes an [[IntervalAggregate]] of a subquery that aggregates the rows of one stream around each row of another. It runs
  * after resolution and before Spark's check, which refuses streams in subqueries whatever they are.
  */
object ResolveStreamingAggregate extends Rule[LogicalPlan] {

  /** @throws java.lang.IllegalArgumentException
    *   if a subquery of a stream for each row is anything else, with what to write
    */
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf)) plan
    else
      plan.resolveOperatorsUpWithPruning(_.containsAnyPattern(LATERAL_JOIN, SCALAR_SUBQUERY)) {
        case lateral: LateralJoin if lateral.resolved && lateral.right.plan.isStreaming =>
          if (!lateral.left.isStreaming) throw Errors.intervalAggregateStreamLeft
          ExtractIntervalAggregate.ofLateral(lateral).fold(throw Errors.intervalAggregateStream)(
            underAliases
          )
        case node @ (_: Project | _: Filter)
            if node.resolved && node.expressions.exists(hasStreamingValue) =>
          if (!node.isStreaming) throw Errors.intervalAggregateStreamLeft
          val found = ExtractIntervalAggregate.ofValues(node)
          if (found.exists(_.expressions.exists(hasStreamingValue)))
            throw Errors.intervalAggregateStream
          found
      }

  /** The same columns, of a node that Spark's analyzer knows how to number anew where a query is joined with itself. */
  private[this] def underAliases(found: IntervalAggregate): LogicalPlan = {
    val parts = found.parts.map { p =>
      p.copy(terms = p.terms.copy(output = p.terms.output.map(_.newInstance())))
    }
    val made = found.copy(parts = parts)
    val named = made.results.zip(found.results).map { case (value, column) =>
      Alias(value, column.name)(column.exprId, column.qualifier)
    }
    Project(found.left.output ++ named, MakeIntervalAggregate.shared(made))
  }

  private[this] def hasStreamingValue(e: Expression): Boolean = e.exists {
    case s: ScalarSubquery => s.outerAttrs.nonEmpty && s.plan.isStreaming
    case _ => false
  }
}
