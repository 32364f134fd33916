package io.scalegate.spark.window.hint

import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, SubqueryAlias}

import io.scalegate.spark.plan.HintNode
import io.scalegate.spark.settings.{NamedDesign, WindowEmission}

/** A hint on the rows of an aggregate over sliding windows. The node is in the plan from hint resolution until the windows
  * above it are found, which take what it says.
  */
sealed trait WindowHint extends HintNode

/** `WINDOW_DESIGN`. */
final case class WindowDesignHint(child: LogicalPlan, design: NamedDesign) extends WindowHint {
  override protected def on(relation: LogicalPlan): WindowDesignHint = copy(child = relation)
}

/** `WINDOW_EMIT`. */
final case class WindowEmitHint(child: LogicalPlan, emission: WindowEmission)
    extends WindowHint {
  override protected def on(relation: LogicalPlan): WindowEmitHint = copy(child = relation)
}

object WindowHint {

  /** The design that an aggregate of these rows is to be run by. */
  def design(rows: LogicalPlan): Option[NamedDesign] =
    on(rows).collectFirst { case WindowDesignHint(_, design) => design }

  /** When an aggregate of these rows is to give its windows in Real-Time Mode. */
  def emission(rows: LogicalPlan): Option[WindowEmission] =
    on(rows).collectFirst { case WindowEmitHint(_, emission) => emission }

  /** The rows without the hints that are said of them. */
  def without(rows: LogicalPlan): LogicalPlan = rows match {
    case hint: WindowHint => without(hint.child)
    case other if on(other).nonEmpty => other.withNewChildren(Seq(without(other.children.head)))
    case other => other
  }

  /** As Spark does for its own hints, they are seen through what takes row by row. */
  private[this] def on(rows: LogicalPlan): Seq[WindowHint] = rows match {
    case hint: WindowHint => hint +: on(hint.child)
    case _: Project | _: Filter | _: SubqueryAlias => on(rows.children.head)
    case _ => Nil
  }
}
