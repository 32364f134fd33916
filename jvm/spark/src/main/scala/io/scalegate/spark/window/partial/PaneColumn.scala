package io.scalegate.spark.window.partial

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import io.scalegate.spark.rows.NodeTerms
import io.scalegate.spark.window.SlidingWindow

/** By which column of its rows an aggregate's panes are known.
  *
  * @param pane
  *   a pane's start
  */
final case class PaneColumn(by: SlidingWindow, pane: Attribute) extends NodeTerms {
  override def children: Seq[Expression] = Seq(pane)

  override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): PaneColumn =
    copy(pane = changed.head.asInstanceOf[Attribute])
}
