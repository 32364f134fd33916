package io.scalegate.spark.join.cube

import org.apache.spark.sql.catalyst.plans.logical.{
  Filter,
  Join,
  LogicalPlan,
  SubqueryAlias,
  UnaryNode,
  UnresolvedHint
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_HINT

import io.scalegate.matrix.cube.CubeLayout
import io.scalegate.spark.settings.{Constant, CubeLayoutText, Errors}

/** Turns `CUBE_JOIN`, or `CUBE_JOIN('2x1x1')`, into a [[CubeHint]] on the joins of its query block, or on its frame. It runs
  * among the hint resolution rules of analysis.
  */
object ResolveCubeHint extends Rule[LogicalPlan] {
  val Name = "CUBE_JOIN"

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUpWithPruning(
    _.containsPattern(UNRESOLVED_HINT)
  ) {
    case UnresolvedHint(name, arguments, child) if name.equalsIgnoreCase(Name) =>
      val layout = arguments match {
        case Nil => None
        case Seq(Constant.Text(CubeLayoutText(layout))) => Some(layout)
        case other => throw Errors.cubeArguments(other.map(_.sql))
      }
      put(child, layout)
  }

  /** Above the joins and the filter on them. */
  private[this] def put(plan: LogicalPlan, layout: Option[CubeLayout]): LogicalPlan = plan match {
    case f: Filter if isJoined(f.child) => CubeHint(f, layout)
    case _: Join | _: SubqueryAlias => CubeHint(plan, layout)
    case u: UnaryNode if u.child.exists(_.isInstanceOf[Join]) =>
      u.withNewChildren(Seq(put(u.child, layout)))
    case other => CubeHint(other, layout)
  }

  private[this] def isJoined(plan: LogicalPlan): Boolean = plan match {
    case _: Join => true
    case f: Filter => isJoined(f.child)
    case _ => false
  }
}
