package io.scalegate.spark.window.rules

import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.scalegate.stream.JoinBase
import org.apache.spark.sql.streaming.OutputMode

import io.scalegate.spark.window.TimeWindows

/** The output mode of a query whose aggregates this package runs. Spark tells an operator of this package the mode from
  * 4.2 on. Before that a query's aggregates are told when the query starts, by a tag.
  */
private[spark] object QueryOutputMode {
  private[this] val Tag = TreeNodeTag[OutputMode]("scalegate.outputMode")

  /** The query with its aggregates told. The query's own nodes, which may be another query's too, stay as they are. */
  def tell(query: LogicalPlan, mode: OutputMode): LogicalPlan =
    if (JoinBase.TellsOutputMode || !query.exists(isTold)) query
    else {
      val told = query.clone()
      told.foreach(p => if (isTold(p)) p.setTagValue(Tag, mode))
      told
    }

  /** Of a query as its batches have it before the optimizer, which makes one node of some of the nodes and does not keep
    * their tags; None where Spark tells it, or where nobody does.
    */
  def find(query: LogicalPlan): Option[OutputMode] =
    if (JoinBase.TellsOutputMode || !query.isStreaming) None
    else query.collectFirst(Function.unlift(_.getTagValue(Tag)))

  /** Whether the operator of an aggregate over these windows will know it. */
  def isKnown(windows: TimeWindows): Boolean =
    JoinBase.TellsOutputMode || windows.mode.nonEmpty

  private[this] def isTold(plan: LogicalPlan) = plan.isInstanceOf[Aggregate] && plan.isStreaming
}
