package io.scalegate.spark.join.hint

import org.apache.spark.sql.catalyst.plans.logical.{
  Filter,
  HintInfo,
  LogicalPlan,
  Project,
  ResolvedHint,
  SubqueryAlias
}

/** Spark's own hints about one input of a join that is to be a node of this package: the optimizer would look for a Join
  * to give them to.
  */
private[join] object SideHint {

  /** The input without its hints, and the outermost of them. */
  def takenFrom(input: LogicalPlan): (LogicalPlan, Option[HintInfo]) = input match {
    case ResolvedHint(child, info) => (takenFrom(child)._1, Some(info))
    case node @ (_: SubqueryAlias | _: Project | _: Filter) =>
      val (plain, info) = takenFrom(node.children.head)
      (if (plain eq node.children.head) node else node.withNewChildren(Seq(plain)), info)
    case other => (other, None)
  }
}
