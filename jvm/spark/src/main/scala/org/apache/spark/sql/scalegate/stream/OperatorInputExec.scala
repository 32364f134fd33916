package org.apache.spark.sql.scalegate.stream

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.scalegate.SparkStreams.{EventTimeWatermarkExec, StateStoreWriter}

/** What one stateful operator reads below an exchange. No two operators share an exchange of a stream.
  *
  * Spark works out from a batch's plan which watermark each operator has in the next one. Below an exchange that is
  * used for the second time it sees nothing, takes the operator above for one without a watermark, and gives it time
  * zero for ever: it would hold its rows back, and what stands above would go by the other input's watermark alone.
  *
  * @param operator
  *   its number in the query
  */
final case class OperatorInputExec(operator: Long, child: SparkPlan) extends UnaryExecNode {
  override def nodeName: String = "StreamingOperatorInput"
  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering
  override def simpleString(maxFields: Int): String = s"$nodeName of operator $operator"

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): OperatorInputExec =
    copy(child = newChild)
}

private object OperatorInputExec {

  /** A query's plan in which each operator of this package has its exchanges of streams to itself. */
  def of(plan: SparkPlan): SparkPlan =
    if (plan.collect { case s: StateStoreWriter => s }.size < 2) plan
    else
      plan.transformUp { case ready: ReadyExec =>
        ready.stateInfo.fold[SparkPlan](ready)(info => ready.mapChildren(in(_, info.operatorId)))
      }

  /** Those of operators below it, which have their own, stay as they are. */
  private[this] def in(input: SparkPlan, operator: Long): SparkPlan = input match {
    case ready: ReadyExec => ready
    case exchange: Exchange if exchange.exists(_.isInstanceOf[EventTimeWatermarkExec]) =>
      exchange.mapChildren(child => OperatorInputExec(operator, in(child, operator)))
    case other => other.mapChildren(in(_, operator))
  }
}
