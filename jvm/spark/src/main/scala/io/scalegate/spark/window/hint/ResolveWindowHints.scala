package io.scalegate.spark.window.hint

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  LogicalPlan,
  SubqueryAlias,
  UnaryNode,
  UnresolvedHint
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_HINT

import io.scalegate.spark.plan.HintNode
import io.scalegate.spark.settings.{Constant, Errors, WindowDesign, WindowEmission}

/** Turns `WINDOW_DESIGN` and `WINDOW_EMIT` into a [[WindowHint]] on the rows of the aggregate of their query block, or, as
  * `df.hint("WINDOW_DESIGN", "wiml").groupBy(...)`, on the frame. It runs among the hint resolution rules of analysis.
  */
object ResolveWindowHints extends Rule[LogicalPlan] {
  val Design = "WINDOW_DESIGN"
  val Emit = "WINDOW_EMIT"

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUpWithPruning(
    _.containsPattern(UNRESOLVED_HINT)
  ) {
    case UnresolvedHint(name, arguments, child) if name.equalsIgnoreCase(Design) =>
      val design = designOf(arguments)
      put(child)(WindowDesignHint(_, design))
    case UnresolvedHint(name, arguments, child) if name.equalsIgnoreCase(Emit) =>
      val emission = emissionOf(arguments)
      put(child)(WindowEmitHint(_, emission))
  }

  private[this] def designOf(arguments: Seq[Expression]) = arguments match {
    case Seq(Constant.Text(text)) =>
      WindowDesign.find(text).getOrElse(throw Errors.designUnknown(text))
    case other => throw Errors.designArguments(other.map(_.sql))
  }

  private[this] def emissionOf(arguments: Seq[Expression]) = arguments match {
    case Seq(Constant.Text(text)) =>
      WindowEmission.find(text).getOrElse(throw Errors.emitArguments(Seq(s"'$text'")))
    case other => throw Errors.emitArguments(other.map(_.sql))
  }

  private[this] def put(child: LogicalPlan)(hint: LogicalPlan => WindowHint): LogicalPlan =
    aggregateOf(child).fold[LogicalPlan](hint(child)) { found =>
      child.transformUp { case a: Aggregate if a eq found => a.copy(child = hint(a.child)) }
    }

  private[this] def aggregateOf(block: LogicalPlan): Option[Aggregate] = block match {
    case frame if HintNode.isOnFrame(frame) => None
    case a: Aggregate => Some(a)
    case _: SubqueryAlias => None
    case u: UnaryNode => aggregateOf(u.child)
    case _ => None
  }
}
