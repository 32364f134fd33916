package io.scalegate.spark.window.design

import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, SubqueryAlias}

import io.scalegate.spark.plan.HintNode
import io.scalegate.spark.settings.NamedDesign

/** The hint `WINDOW_DESIGN` on the rows of an aggregate over sliding windows. The node is in the plan from hint resolution
  * until the windows above it are found, which take the design.
  */
final case class WindowDesignHint(child: LogicalPlan, design: NamedDesign) extends HintNode {
  override protected def on(relation: LogicalPlan): WindowDesignHint = copy(child = relation)
}

object WindowDesignHint {

  /** The design that an aggregate of these rows is to be run by. As Spark does for its own hints, the hint is seen through
    * what takes row by row.
    */
  def asked(rows: LogicalPlan): Option[NamedDesign] = rows match {
    case WindowDesignHint(_, design) => Some(design)
    case _: Project | _: Filter | _: SubqueryAlias => asked(rows.children.head)
    case _ => None
  }

  /** The rows without the hint that [[asked]] has found. */
  def without(rows: LogicalPlan): LogicalPlan = rows match {
    case WindowDesignHint(child, _) => child
    case other => other.withNewChildren(Seq(without(other.children.head)))
  }
}
