package io.scalegate.spark.join.hint

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnresolvedHint}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_HINT

import io.scalegate.spark.plan.HintNode

/** The right side of `interval_aggregate` where its rows may differ from one reading to the next, as those with a column
  * of `uuid()` do. Spark's analyzer refuses such rows in a lateral subquery, since to run it for each outer row would
  * read them as often; here, and in the join that Spark makes of one, they are read once.
  */
final case class LateralRows(child: LogicalPlan) extends HintNode {
  override lazy val deterministic: Boolean = true
  override protected def on(relation: LogicalPlan): LateralRows = copy(child = relation)
}

/** Finds them by the hint that the Python function gives to its right side. */
object LateralRows extends Rule[LogicalPlan] {
  val Name = "SCALEGATE_LATERAL_ROWS"

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUpWithPruning(
    _.containsPattern(UNRESOLVED_HINT)
  ) {
    case UnresolvedHint(name, _, frame) if name.equalsIgnoreCase(Name) && frame.resolved =>
      if (frame.deterministic) frame else new LateralRows(frame)
  }

  /** The plan with the rows themselves. */
  def of(plan: LogicalPlan): LogicalPlan = plan.transform { case rows: LateralRows => rows.child }
}
