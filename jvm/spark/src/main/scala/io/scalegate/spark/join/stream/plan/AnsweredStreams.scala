package io.scalegate.spark.join.stream.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.scalegate.RealTimeMode
import org.apache.spark.sql.streaming.OutputMode

import io.scalegate.spark.join.stream.StreamJoin
import io.scalegate.spark.settings.Errors
import io.scalegate.stream.Sides

/** What the planner knows of an operator of two streams that gives each left row its answer, from the right rows of its
  * key, when the watermark says that no more of them come. Made when a query starts and when a batch is planned; one
  * thread.
  *
  * @param node
  *   the operator, as the optimizer leaves it
  * @param what
  *   how errors call it
  */
abstract private[plan] class AnsweredStreams(node: LogicalPlan, what: String) {

  /** @throws java.lang.IllegalArgumentException
    *   if it cannot be run, with what to write
    */
  def refuse(): this.type

  /** The times that it goes by, which may be other expressions than [[times]] has until they are checked. */
  protected def compared: Sides[Expression]

  protected def keys: Sides[Seq[Expression]]

  protected def refuseTimes(): Unit =
    compared.zip(Sides("left", "right")).toSeq.foreach { case (time, side) =>
      val isEventTime = time match {
        case a: Attribute => PlannedPairs.isEventTime(a)
        case _ => false
      }
      if (!isEventTime) throw Errors.answersTime(what, side, time.sql)
    }

  protected def refuseKeys(): Unit =
    (keys.left ++ keys.right)
      .find(key => !UnsafeRowUtils.isBinaryStable(key.dataType))
      .foreach(key => throw Errors.answersKey(what, key.sql))

  def refuseMode(mode: OutputMode): this.type = {
    StreamingJoins.refuseMode(node, what, mode)
    this
  }

  protected def times: Sides[Attribute] = compared.map(_.asInstanceOf[Attribute])

  /** What EXPLAIN says of where it runs. */
  protected def where: String =
    if (keys.left.nonEmpty) "" else ", in one task, for there is no key"

  /** @param planned
    *   an input's own plan
    */
  final def pairs(planned: LogicalPlan => SparkPlan): PlannedPairs = {
    val inputs = Sides(node.children.head, node.children.last).zip(times).map {
      case (input, time) => planned(PlannedPairs.oneEventTime(input, time))
    }
    PlannedPairs.of(RealTimeMode.isIn(node), join, keys, inputs)
  }

  protected def join: StreamJoin
}
