package io.scalegate.spark.join.hint

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{
  Join,
  LogicalPlan,
  SubqueryAlias,
  UnaryNode,
  UnresolvedHint
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_HINT
import org.apache.spark.sql.types.StringType

import io.scalegate.partition.MatrixLayout
import io.scalegate.spark.plan.HintNode
import io.scalegate.spark.settings.{Algorithm, Errors, LayoutText}

/** Turns `WINDOW_JOIN` into a [[WindowJoinHint]] on the join input that it names. This rule runs among the hint
  * resolution rules of analysis, since Spark drops hints that it does not know.
  *
  * `/*+ WINDOW_JOIN(r, s) */` names both inputs of one join of its query block; without arguments, and as
  * `df.hint("WINDOW_JOIN")`, it belongs to the join that its relation goes into. A quoted name of an `Algorithm`
  * among the arguments chooses that, an operator's with its options or without, a quoted layout, as in `'2x3'`, that of the matrix, and `'ordered'` asks for the
  * rows of a join of streams in the order of their times.
  */
object ResolveWindowJoinHint extends Rule[LogicalPlan] {
  val Name = "WINDOW_JOIN"

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUpWithPruning(
    _.containsPattern(UNRESOLVED_HINT)
  ) {
    case UnresolvedHint(name, arguments, child) if name.equalsIgnoreCase(Name) =>
      val algorithms = arguments.collect { case AlgorithmName(a) => a }
      val layouts = arguments.collect { case Layout(l) => l }
      val (orders, others) = arguments.partition(isOrdered)
      val names = others.collect {
        case a if AlgorithmName.unapply(a).isEmpty && Layout.unapply(a).isEmpty => relationName(a)
      }
      val options = HintOptions(algorithms.headOption, layouts.headOption, orders.nonEmpty)
      refuseLayoutOfOther(options)
      val one = algorithms.length <= 1 && layouts.length <= 1 && orders.length <= 1
      if (names.isEmpty && one) hintTopmost(child, options)
      else if (names.distinct.size == 2 && one) hintNamed(child, names.toSet, options)
      else throw Errors.hintArguments(arguments.map(_.sql))
  }

  private[this] def refuseLayoutOfOther(options: HintOptions): Unit =
    for {
      layout <- options.layout
      algorithm <- options.algorithm.flatMap(Algorithm.parse).flatten
      if algorithm != Algorithm.Matrix
    } throw Errors.layoutOfOther(layout, algorithm.name)

  private[this] object Layout {
    def unapply(argument: Expression): Option[MatrixLayout] = argument match {
      case Literal(text, StringType) if text != null => LayoutText.parse(text.toString)
      case _ => None
    }
  }

  /** A quoted name of an algorithm; a relation of that name can be given without quotes. */
  private[this] object AlgorithmName {
    def unapply(argument: Expression): Option[String] = argument match {
      case Literal(text, StringType) if text != null =>
        Some(text.toString).filter(Algorithm.parse(_).nonEmpty)
      case _ => None
    }
  }

  private[this] def isOrdered(argument: Expression): Boolean = argument match {
    case Literal(text, StringType) if text != null => lower(text.toString) == HintOptions.Ordered
    case _ => false
  }

  private[this] def relationName(argument: Expression): String = argument match {
    case a: UnresolvedAttribute => lower(a.nameParts.last)
    case Literal(text, _) if text != null => lower(text.toString)
    case other => throw Errors.hintArguments(Seq(other.sql))
  }

  private[this] def lower(s: String): String = s.toLowerCase(java.util.Locale.ROOT)

  /** The join that the hint's own query block is about, or the relation itself. */
  private[this] def hintTopmost(plan: LogicalPlan, options: HintOptions): LogicalPlan =
    plan match {
      case frame if HintNode.isOnFrame(frame) =>
        HintNode.onRelation(frame)(WindowJoinHint(_, options))
      case a: SubqueryAlias => WindowJoinHint(a, options)
      case block => joinBelow(block).fold(
          HintNode.onRelation(block)(WindowJoinHint(_, options))
        )(hintJoin(block, _, options))
    }

  private[this] def hintJoin(plan: LogicalPlan, join: Join, options: HintOptions): LogicalPlan =
    plan.transformUp {
      case j: Join if j eq join => j.copy(left = WindowJoinHint(j.left, options))
    }

  private[this] def joinBelow(plan: LogicalPlan): Option[Join] = plan match {
    case j: Join => Some(j)
    case _: SubqueryAlias => None
    case u: UnaryNode => joinBelow(u.child)
    case _ => None
  }

  private[this] def hintNamed(
      plan: LogicalPlan,
      names: Set[String],
      options: HintOptions
  ): LogicalPlan =
    joinIn(plan)(separates(_, names))
      .fold(throw unknown(plan, names))(hintJoin(plan, _, options))

  private[this] def unknown(plan: LogicalPlan, names: Set[String]) = Errors.hintRelations(
    names,
    plan.collect { case l if l.children.isEmpty => l }
      .flatMap(relationsOf) ++ plan.collect { case a: SubqueryAlias => lower(a.alias) }
  )

  /** The first such join of the query block; those of its subqueries in FROM are of blocks of their own. */
  private[this] def joinIn(block: LogicalPlan)(wanted: Join => Boolean): Option[Join] =
    block match {
      case j: Join if wanted(j) => Some(j)
      case _: SubqueryAlias => None
      case other => other.children.iterator.flatMap(joinIn(_)(wanted)).nextOption()
    }

  private[this] def separates(join: Join, names: Set[String]): Boolean = {
    val left = names.intersect(visible(join.left))
    val right = names.intersect(visible(join.right))
    left.size == 1 && right.size == 1 && left != right
  }

  /** The names by which a join's condition can refer to a relation of `plan`. */
  private[this] def visible(plan: LogicalPlan): Set[String] = plan match {
    case a: SubqueryAlias => Set(lower(a.alias))
    case r: UnresolvedRelation => relationsOf(r).toSet
    case other => other.children.flatMap(visible).toSet
  }

  private[this] def relationsOf(plan: LogicalPlan): Seq[String] = plan match {
    case r: UnresolvedRelation => Seq(lower(r.multipartIdentifier.last))
    case _ => Nil
  }
}
