package org.apache.spark.sql.scalegate.stream

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.{Inner, JoinType}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.scalegate.SparkStreams._
import org.apache.spark.sql.streaming.OutputMode

import io.scalegate.stream.Sides

/** What Spark's stream-stream join is made by. Minor versions of Spark differ in what that is: [[JoinBase]] takes it
  * apart.
  *
  * @param keys
  *   by which the inputs are exchanged
  * @param ofBatch
  *   what Spark gives the operator before a batch
  */
final case class DonorArgs(
    keys: Sides[Seq[Expression]],
    inputs: Sides[SparkPlan],
    ofBatch: DonorArgs.OfBatch = DonorArgs.OfBatch(),
    unused: DonorArgs.Unused = DonorArgs.Unused()
)

object DonorArgs {

  /** Where the operator's state lies, the watermarks in milliseconds, and the output mode; nothing when it is
    * planned.
    */
  final case class OfBatch(
      stateInfo: Option[StatefulOperatorStateInfo] = None,
      watermarkForLateEvents: Option[Long] = None,
      watermarkForEviction: Option[Long] = None,
      outputMode: Option[OutputMode] = None
  )

  /** What Spark's own join goes by, and no operator of this package. */
  final case class Unused(
      joinType: JoinType = Inner,
      condition: JoinConditionSplitPredicates = NoCondition,
      watermarkPredicates: JoinStateWatermarkPredicates = NoWatermarks,
      stateFormat: Int = 2
  )
}
