package io.scalegate.spark.window.design

import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  LogicalPlan,
  SubqueryAlias,
  UnaryNode,
  UnresolvedHint
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_HINT

import io.scalegate.spark.settings.{Constant, Errors, WindowDesign}

/** Turns `WINDOW_DESIGN` into a [[WindowDesignHint]] on the rows of the aggregate of its query block, or, as
  * `df.hint("WINDOW_DESIGN", "wiml").groupBy(...)`, on the frame. It runs among the hint resolution rules of analysis.
  */
object ResolveDesignHint extends Rule[LogicalPlan] {
  val Name = "WINDOW_DESIGN"

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUpWithPruning(
    _.containsPattern(UNRESOLVED_HINT)
  ) {
    case UnresolvedHint(name, arguments, child) if name.equalsIgnoreCase(Name) =>
      val design = arguments match {
        case Seq(Constant.Text(text)) =>
          WindowDesign.find(text).getOrElse(throw Errors.designUnknown(text))
        case other => throw Errors.designArguments(other.map(_.sql))
      }
      aggregateOf(child).fold[LogicalPlan](WindowDesignHint(child, design)) { found =>
        child.transformUp {
          case a: Aggregate if a eq found => a.copy(child = WindowDesignHint(a.child, design))
        }
      }
  }

  private[this] def aggregateOf(block: LogicalPlan): Option[Aggregate] = block match {
    case a: Aggregate => Some(a)
    case _: SubqueryAlias => None
    case u: UnaryNode => aggregateOf(u.child)
    case _ => None
  }
}
