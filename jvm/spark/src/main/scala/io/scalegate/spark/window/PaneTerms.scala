package io.scalegate.spark.window

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import io.scalegate.spark.rows.NodeTerms

/** What is computed of sliding windows: one argument of the nodes that do, when a query is planned.
  *
  * @param keys
  *   without the window
  * @param having
  *   over keys and window: windows that do not pass are left out
  */
final case class PaneTerms(
    by: SlidingWindow,
    keys: Seq[Attribute],
    functions: Seq[AggregateExpression],
    having: Option[Expression]
) extends NodeTerms {
  override def children: Seq[Expression] = keys ++ functions ++ having

  override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): PaneTerms = {
    val changes = new NodeTerms.Changed(changed)
    copy(
      keys = changes.in(keys).map(_.asInstanceOf[Attribute]),
      functions = changes.in(functions).map(_.asInstanceOf[AggregateExpression]),
      having = changes.in(having)
    )
  }

  /** What EXPLAIN says. */
  def description: Seq[String] = Seq(
    s"windows: $by",
    s"panes: ${by.panes}",
    s"keys: ${keys.mkString("[", ", ", "]")}",
    s"functions: ${functions.map(_.aggregateFunction).mkString("[", ", ", "]")}"
  ) ++ having.map(c => s"having: ${c.sql}")
}
