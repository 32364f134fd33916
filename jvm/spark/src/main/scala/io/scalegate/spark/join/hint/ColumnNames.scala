package io.scalegate.spark.join.hint

import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, UnresolvedHint}
import org.apache.spark.sql.catalyst.rules.Rule

import io.scalegate.spark.plan.HintNode
import io.scalegate.spark.settings.Constant

/** A frame whose columns are to have these names, in their order. The node is in the plan until the frame is resolved,
  * and what is above it waits for that.
  */
final case class ColumnNames(child: LogicalPlan, names: Seq[String]) extends HintNode {
  override lazy val resolved: Boolean = false
  override protected def on(relation: LogicalPlan): ColumnNames = copy(child = relation)

  /** A column that has its name already stays the column that it is, so that the frames that it comes from name it still:
    * `toDF` makes new columns of all.
    */
  def named: Project = {
    val columns = child.output.zip(names).map { case (column, name) =>
      if (name == column.name) column else Alias(column, name)()
    }
    Project(columns ++ child.output.drop(names.size), child)
  }
}

/** Names columns by the hint that the Python functions give to the rows of a join of which both sides have columns of one
  * name. The rule runs among the hint resolution rules, before Spark resolves what is above, and with the resolution.
  */
object ColumnNames extends Rule[LogicalPlan] {
  val Name = "SCALEGATE_COLUMN_NAMES"

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case UnresolvedHint(name, arguments, frame) if name.equalsIgnoreCase(Name) =>
      val asked =
        new ColumnNames(frame, arguments.collect { case Constant.Text(column) => column })
      if (frame.resolved) asked.named else asked
    case asked: ColumnNames if asked.child.resolved => asked.named
  }
}
