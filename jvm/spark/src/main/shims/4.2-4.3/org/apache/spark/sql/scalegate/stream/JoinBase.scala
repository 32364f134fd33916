package org.apache.spark.sql.scalegate.stream

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.scalegate.SparkStreams._
import org.apache.spark.sql.streaming.OutputMode

import io.scalegate.stream.Sides

/** Spark's stream-stream join as a base class: what it is made by, and copied with. */
abstract class JoinBase(args: DonorArgs)
    extends StreamingSymmetricHashJoinExec(
      args.keys.left,
      args.keys.right,
      args.unused.joinType,
      args.unused.condition,
      args.ofBatch.stateInfo,
      args.ofBatch.watermarkForLateEvents,
      args.ofBatch.watermarkForEviction,
      args.unused.watermarkPredicates,
      args.unused.stateFormat,
      args.inputs.left,
      args.inputs.right,
      args.ofBatch.outputMode
    ) {

  /** The same operator with what Spark has changed of it. */
  protected def changed(args: DonorArgs): JoinBase

  final override def copy(
      leftKeys: Seq[Expression],
      rightKeys: Seq[Expression],
      joinType: JoinType,
      condition: JoinConditionSplitPredicates,
      stateInfo: Option[StatefulOperatorStateInfo],
      eventTimeWatermarkForLateEvents: Option[Long],
      eventTimeWatermarkForEviction: Option[Long],
      stateWatermarkPredicates: JoinStateWatermarkPredicates,
      stateFormatVersion: Int,
      left: SparkPlan,
      right: SparkPlan,
      outputMode: Option[OutputMode]
  ): JoinBase = changed(
    DonorArgs(
      Sides(leftKeys, rightKeys),
      Sides(left, right),
      DonorArgs.OfBatch(
        stateInfo,
        eventTimeWatermarkForLateEvents,
        eventTimeWatermarkForEviction,
        outputMode
      ),
      DonorArgs.Unused(joinType, condition, stateWatermarkPredicates, stateFormatVersion)
    )
  )
}

object JoinBase {

  /** Whether Spark tells the operator the output mode of its query. */
  val TellsOutputMode = true
}
