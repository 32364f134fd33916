package io.scalegate.spark.join.aggregate

import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  And,
  Attribute,
  AttributeMap,
  Expression,
  LateralSubquery,
  NamedExpression,
  OuterReference,
  PredicateHelper,
  ScalarSubquery,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.optimizer.ReplaceExpressions
import org.apache.spark.sql.catalyst.planning.{PhysicalAggregation, PhysicalOperation}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Filter,
  LateralJoin,
  LogicalPlan,
  Project
}
import org.apache.spark.sql.catalyst.plans.{Inner, LeftOuter}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.join.hint.LateralRows
import io.scalegate.spark.plan.Renumbered
import io.scalegate.spark.settings.ScaleGateConf
import io.scalegate.spark.window.SlidingAggregate

/** Takes aggregates over the rows around each row out of the optimizer's hands: subqueries that aggregate the rows with
  * the outer row's keys and with times in an interval around its own, in `LATERAL` or as a value. Spark would join and
  * group; what it makes of a subquery when this rule leaves it alone is the same rows.
  *
  * The rule runs when a plan is normalized, before the optimizer takes subqueries apart.
  */
object ExtractIntervalAggregate extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ScaleGateConf.enabled(conf)) plan
    else
      OutsideCorrelated.transform(plan) {
        case lateral: LateralJoin if lateral.resolved && lateral.condition.isEmpty =>
          ofLateral(lateral).fold[LogicalPlan](lateral)(MakeIntervalAggregate.shared)
        case node @ (_: Project | _: Filter)
            if node.resolved && node.expressions.exists(hasCorrelatedValue) =>
          ofValues(node)
      }

  /** What a lateral join is, if its subquery aggregates rows in an interval. */
  private[aggregate] def ofLateral(lateral: LateralJoin): Option[IntervalAggregate] =
    (lateral.joinType, lateral.right) match {
      case (Inner | LeftOuter, LateralSubquery(plan, outer, _, Nil, _)) if outer.nonEmpty =>
        aggregate(lateral.left, plan)
      case _ => None
    }

  private[this] def hasCorrelatedValue(e: Expression): Boolean = e.exists {
    case s: ScalarSubquery => s.outerAttrs.nonEmpty
    case _ => false
  }

  /** The node above one aggregate for each of its subqueries that is one. */
  private[aggregate] def ofValues(node: LogicalPlan): LogicalPlan = {
    var input = node.children.head
    val changed = node.transformExpressions {
      case s: ScalarSubquery if s.outerAttrs.nonEmpty =>
        aggregate(input, s.plan) match {
          case Some(found) if found.results.size == 1 =>
            input = MakeIntervalAggregate.shared(found)
            found.results.head
          case _ => s
        }
    }
    (changed, node) match {
      case _ if input eq node.children.head => node
      case (filter: Filter, _) => Project(node.output, filter.copy(child = input))
      case (other, _) => other.withNewChildren(Seq(input))
    }
  }

  /** The outer rows with what the subquery gives for each, if that is an aggregate of rows in an interval. */
  private[this] def aggregate(
      left: LogicalPlan,
      subquery: LogicalPlan
  ): Option[IntervalAggregate] =
    ReplaceExpressions(EliminateSubqueryAliases(LateralRows.of(subquery))) match {
      case Aggregated(functions, results, Filtered(fields, filters, input))
          if !isCorrelated(input) && !fields.exists(isOuter) &&
            !(functions ++ results).exists(isOuter) =>
        val (outer, ofRows) = filters.flatMap(splitConjunctivePredicates).partition(isOuter)
        val apart = Apart(left, input)
        val names = namesOf(left)
        val conditions = outer.map(apart(_).transform { case OuterReference(a) =>
          val column = a.toAttribute
          names.getOrElse(column, column)
        })
        val rows = ofRows.map(apart(_)).reduceOption(And.apply).fold(apart.input)(
          Filter(_, apart.input)
        )
        // Conditions are over the input, functions over what is made of it.
        val compared = conditions.flatMap(_.references).filter(apart.input.outputSet.contains)
        MakeIntervalAggregate(
          left,
          Project((fields.map(apart(_)) ++ compared).distinct, rows),
          conditions,
          functions.map(apart(_)),
          results.map(apart(_))
        )
      case _ => None
    }

  /** An input whose columns are no columns of the left side: Spark's analyzer numbers those of a table anew that is
    * joined with itself, but not those of a stream.
    */
  final private class Apart(val input: LogicalPlan, columns: AttributeMap[Attribute]) {

    /** What is said of the input, but not of the outer row: also where a subquery asks for it. */
    def apply[E <: Expression](e: E): E =
      if (columns.isEmpty) e
      else
        e.transform {
          case a: Attribute => columns.getOrElse(a, a)
          case s: SubqueryExpression =>
            s.withNewPlan(s.plan.transformAllExpressions { case OuterReference(a: Attribute) =>
              OuterReference(columns.getOrElse(a, a))
            })
        }.asInstanceOf[E]
  }

  private object Apart {
    def apply(left: LogicalPlan, input: LogicalPlan): Apart =
      if (left.outputSet.intersect(input.outputSet).isEmpty) new Apart(input, AttributeMap.empty)
      else {
        val renewed = input.output.map(Renumbered(_))
        val columns = input.output.zip(renewed.map(_.toAttribute))
        new Apart(Project(renewed, input), AttributeMap(columns))
      }
  }

  /** The columns that others of the same rows are other names for. */
  private[this] def namesOf(plan: LogicalPlan): AttributeMap[Attribute] = plan match {
    case Project(columns, child) =>
      val made = columns.collect {
        case alias @ Alias(column: Attribute, _) if columns.contains(column) =>
          alias.toAttribute -> column
      }
      val kept = namesOf(child).filter { case (name, column) =>
        columns.contains(name) && columns.contains(column)
      }
      AttributeMap(made ++ kept)
    case a: IntervalAggregate => namesOf(a.left)
    case _ => AttributeMap.empty
  }

  /** A subquery within the subquery is not, where it is about columns of the rows that are aggregated alone. */
  private[this] def isOuter(e: Expression): Boolean = e.exists {
    case _: OuterReference => true
    case s: SubqueryExpression =>
      s.children.flatMap(_.collectLeaves()).exists(c => !c.isInstanceOf[Attribute] && !c.foldable)
    case _ => false
  }

  private[this] def isCorrelated(plan: LogicalPlan): Boolean =
    plan.exists(_.expressions.exists(isOuter))

  /** The columns of rows, over an input, and the conditions that these satisfy. Where the outer row is compared with the
    * input's columns, what these are computed of stays in the input.
    */
  private object Filtered {
    def unapply(
        plan: LogicalPlan
    ): Option[(Seq[NamedExpression], Seq[Expression], LogicalPlan)] = {
      val (filters, input) = split(plan)
      if (isCorrelated(input)) PhysicalOperation.unapply(plan)
      else Some((input.output, filters, input))
    }

    private[this] def split(plan: LogicalPlan): (Seq[Expression], LogicalPlan) = plan match {
      case Filter(condition, child) if condition.deterministic =>
        val (others, input) = split(child)
        (others :+ condition, input)
      case other => (Nil, other)
    }
  }

  /** An aggregate of all rows of its input, without what stands above it and changes nothing. */
  private object Aggregated {
    def unapply(plan: LogicalPlan): Option[(
        Seq[AggregateExpression],
        Seq[NamedExpression],
        LogicalPlan
    )] = plan match {
      case Project(columns, Aggregated(functions, results, input))
          if columns.forall(!_.exists(_.isInstanceOf[OuterReference])) =>
        renamed(columns, results).map((functions, _, input))
      case PhysicalAggregation(Nil, functions, results, input)
          if plan.isInstanceOf[Aggregate] && functions.nonEmpty &&
            functions.forall(SlidingAggregate.mergeable) =>
        Some((functions, results, input))
      case _ => None
    }

    private[this] def renamed(
        columns: Seq[NamedExpression],
        results: Seq[NamedExpression]
    ): Option[Seq[NamedExpression]] = {
      val byId = results.map(r => r.exprId -> r).toMap
      val found = columns.map {
        case a: Attribute => byId.get(a.exprId)
        case alias @ Alias(a: Attribute, _) =>
          byId.get(a.exprId).map {
            case Alias(child, _) =>
              alias.withNewChildren(Seq(child)).asInstanceOf[NamedExpression]
            case other => alias.withNewChildren(Seq(other)).asInstanceOf[NamedExpression]
          }
        case _ => None
      }
      if (found.forall(_.nonEmpty)) Some(found.flatten) else None
    }
  }
}
