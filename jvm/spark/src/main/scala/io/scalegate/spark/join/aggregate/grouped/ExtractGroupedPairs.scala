package io.scalegate.spark.join.aggregate.grouped

import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  Attribute,
  AttributeSet,
  EqualNullSafe,
  EqualTo,
  Expression,
  GreaterThan,
  Literal,
  NamedExpression,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Filter,
  Join,
  JoinHint,
  LogicalPlan
}
import org.apache.spark.sql.catalyst.plans.{Inner, JoinType, LeftOuter}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.join.aggregate.{MakeIntervalAggregate, OutsideCorrelated}
import io.scalegate.spark.join.hint.WindowJoinRequested
import io.scalegate.spark.settings.ScaleGateConf

/** Takes `GROUP BY` columns of the left side over a join by keys and an interval out of the optimizer's hands, where its
  * functions are sums, counts, averages and extremes of right columns: each left row gets these of its right rows by an
  * `IntervalAggregate`, and the groups are made of left rows, not of pairs.
  *
  * Not where a side is small enough to be broadcast: then pairs are found without an exchange of the other side. Not
  * with equality keys either, unless a setting says so: where a left row has few right rows, Spark's join of these costs
  * no more. The rule runs when a plan is normalized, as `ExtractIntervalAggregate` does.
  */
object ExtractGroupedPairs extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf)) plan
    else
      OutsideCorrelated.transform(plan) {
        case a: Aggregate if a.resolved && a.groupingExpressions.nonEmpty && !a.isStreaming =>
          grouped(a).getOrElse(a)
      }

  private[this] def grouped(a: Aggregate): Option[LogicalPlan] =
    EliminateSubqueryAliases(a.child) match {
      case PhysicalOperation(fields, filters, join: Join)
          if (join.joinType == Inner || join.joinType == LeftOuter) &&
            !isHinted(join) =>
        val names = getAliasMap(fields)
        val keys = a.groupingExpressions.map(replaceAlias(_, names))
        val results = a.aggregateExpressions.map(replaceAliasButKeepName(_, names))
        for {
          sides <- Sides(join, filters)
          if keys.forall(isOf(_, sides.left.outputSet))
          if ScaleGateConf.groupKeyedJoins(conf) || !sides.hasKeys
          inner <- aggregated(sides, results)
          // Last, for some sources have to plan a scan to tell.
          if !isSmall(join.left) && !isSmall(join.right)
        } yield a.copy(
          groupingExpressions = keys,
          aggregateExpressions = inner.results,
          child = inner.rows
        )
      case _ => None
    }

  /** Whether somebody asked for the pairs, and how. */
  private[this] def isHinted(join: Join): Boolean = join.hint != JoinHint.NONE ||
    join.condition.exists(_.exists(_.isInstanceOf[WindowJoinRequested]))

  private[this] def isSmall(input: LogicalPlan): Boolean =
    input.stats.sizeInBytes <= conf.autoBroadcastJoinThreshold

  private[this] def isOf(e: Expression, columns: AttributeSet): Boolean =
    e.deterministic && e.references.subsetOf(columns)

  /** The inputs of a join without what is about one of them alone, and the conditions of pairs. */
  final private case class Sides(
      left: LogicalPlan,
      right: LogicalPlan,
      conditions: Seq[Expression],
      joinType: JoinType
  ) {

    /** Whether columns of both must be equal. */
    def hasKeys: Boolean = conditions.exists {
      case EqualTo(_, _) | EqualNullSafe(_, _) => true
      case _ => false
    }
  }

  private object Sides {
    def apply(join: Join, above: Seq[Expression]): Option[Sides] = {
      val on = join.condition.toSeq.flatMap(splitConjunctivePredicates)
      val filters = above.flatMap(splitConjunctivePredicates)
      val (left, right) = (join.left.outputSet, join.right.outputSet)
      val isOuter = join.joinType == LeftOuter
      // A left row that fails its own condition stays in a left join, without right rows.
      val ofLeft = if (isOuter) filters else (on ++ filters).filter(isOf(_, left))
      val ofPairs = if (isOuter) on else (on ++ filters).filterNot(isOf(_, left))
      val (ofRight, conditions) = ofPairs.partition(isOf(_, right))
      def filtered(input: LogicalPlan, by: Seq[Expression]) =
        by.reduceOption(And.apply).fold(input)(Filter(_, input))
      Option.when(ofLeft.forall(isOf(_, left)))(
        Sides(
          filtered(join.left, ofLeft),
          filtered(join.right, ofRight),
          conditions,
          join.joinType
        )
      )
    }
  }

  /** Left rows with what is known of their right rows, and the results over groups of these. */
  final private case class Grouped(rows: LogicalPlan, results: Seq[NamedExpression])

  private[this] def aggregated(sides: Sides, results: Seq[NamedExpression]): Option[Grouped] = {
    val pairs = GroupedFunction.pairs
    val isOuter = sides.joinType == LeftOuter
    val asked = results.flatMap(_.collect { case e: AggregateExpression => e }).distinct
    val parts = asked.map { e =>
      GroupedFunction(e, pairs, isOuter, sides.left.outputSet, sides.right.outputSet)
    }
    if (asked.isEmpty || parts.exists(_.isEmpty)) None
    else {
      val found = parts.flatten
      val functions = (pairs +: found.flatMap(_.ofRows)).distinct
      val columns = functions.map(f => Alias(f.resultAttribute, f.resultAttribute.name)())
      val column: Map[Attribute, Attribute] =
        functions.map(_.resultAttribute).zip(columns.map(_.toAttribute)).toMap
      def overRows(e: Expression) = e.transform {
        case a: Attribute if column.contains(a) => column(a)
      }
      MakeIntervalAggregate(sides.left, sides.right, sides.conditions, functions, columns).map {
        made =>
          val matched = GreaterThan(column(pairs.resultAttribute), Literal(0L))
          val byFunction = asked.zip(found.map(f => overRows(f.ofGroup))).toMap
          Grouped(
            if (isOuter) made else Filter(matched, made),
            results.map(_.transformUp { case e: AggregateExpression => byFunction(e) }
              .asInstanceOf[NamedExpression])
          )
      }
    }
  }
}
