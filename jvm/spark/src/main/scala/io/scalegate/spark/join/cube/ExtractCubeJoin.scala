package io.scalegate.spark.join.cube

import org.apache.spark.sql.catalyst.expressions.{
  And,
  Attribute,
  Expression,
  Literal,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.InnerLike
import org.apache.spark.sql.catalyst.plans.logical.{
  Filter,
  Join,
  LogicalPlan,
  Project,
  SubqueryAlias
}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.join.PythonCondition
import io.scalegate.spark.join.hint.WindowJoinRequested
import io.scalegate.spark.settings.{Errors, ScaleGateConf}

/** Makes one node of a [[CubeHint]] and the two inner joins below it. The rule runs when a plan is normalized, before the
  * optimizer, which puts joins of three inputs into another order.
  */
object ExtractCubeJoin extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.transformUpWithSubqueries {
      case CubeHint(child, _) if !ScaleGateConf.enabled(conf) => child
      case hint: CubeHint if hint.child.resolved => joined(hint)
    }

  /** The node, below a filter where functions in Python are part of the condition. */
  private[join] def joined(hint: CubeHint): LogicalPlan = {
    val (inputs, found) = inputsOf(hint.child)
    if (inputs.size != 3) throw Errors.cubeInputs(inputs.size)
    val streams = inputs.count(_.isStreaming)
    if (streams != 0 && streams != inputs.size) throw Errors.cubeStreaming(streams)
    val conjuncts = found.flatMap(splitConjunctivePredicates)
      .filterNot(_.isInstanceOf[WindowJoinRequested])
    conjuncts.find(!_.deterministic).foreach(c => throw Errors.cubeCondition(c.sql))
    val (ofOne, ofSeveral) = conjuncts.partition(c =>
      c.references.nonEmpty && inputs.exists(i => c.references.subsetOf(i.outputSet))
    )
    val (python, others) = ofSeveral.partition(PythonCondition.isIn)
    val filtered = inputs.map { input =>
      ofOne.filter(_.references.subsetOf(input.outputSet)).reduceOption(And.apply)
        .fold(input)(Filter(_, input))
    }
    val condition = others.reduceOption(And.apply).getOrElse(Literal.TrueLiteral)
    val cube = CubeJoin(filtered(0), filtered(1), filtered(2), condition, hint.layout)
    val rows = python.reduceOption(And.apply).fold[LogicalPlan](cube)(Filter(_, cube))
    if (rows.output == hint.output) rows else Project(hint.output, rows)
  }

  /** The inputs of the inner joins at the top of a plan, and their conditions. */
  private[this] def inputsOf(plan: LogicalPlan): (Seq[LogicalPlan], Seq[Expression]) =
    plan match {
      case Join(left, right, _: InnerLike, condition, _) =>
        val ((l, onLeft), (r, onRight)) = (inputsOf(left), inputsOf(right))
        (l ++ r, onLeft ++ onRight ++ condition)
      case Filter(condition, child) =>
        inputsOf(child) match {
          case (Seq(_), _) => (Seq(plan), Nil)
          case (several, conditions) => (several, conditions :+ condition)
        }
      case s: SubqueryAlias if s.child.isInstanceOf[Join] => inputsOf(s.child)
      // USING leaves one of the equal columns.
      case Project(columns, join: Join) if columns.forall(_.isInstanceOf[Attribute]) =>
        inputsOf(join)
      case other => (Seq(other), Nil)
    }
}
