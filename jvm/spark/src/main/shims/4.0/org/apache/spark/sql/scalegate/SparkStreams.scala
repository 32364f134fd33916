package org.apache.spark.sql.scalegate

import scala.reflect.ClassTag

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, TransformWithState}
import org.apache.spark.sql.execution.streaming
import org.apache.spark.sql.execution.streaming.StreamingSymmetricHashJoinHelper
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.TimeMode
import org.apache.spark.util.SerializableConfiguration

/** What Spark's releases have of streams under other names, or some of them only. */
object SparkStreams {
  type CheckpointFileManager = streaming.CheckpointFileManager
  val CheckpointFileManager: streaming.CheckpointFileManager.type =
    streaming.CheckpointFileManager

  type EventTimeStatsAccum = streaming.EventTimeStatsAccum
  type EventTimeWatermarkExec = streaming.EventTimeWatermarkExec
  type StateStoreWriter = streaming.StateStoreWriter
  type StatefulOperatorCustomMetric = streaming.StatefulOperatorCustomMetric
  type StatefulOperatorStateInfo = streaming.StatefulOperatorStateInfo
  type StreamingSymmetricHashJoinExec = streaming.StreamingSymmetricHashJoinExec
  type JoinConditionSplitPredicates =
    StreamingSymmetricHashJoinHelper.JoinConditionSplitPredicates
  type JoinStateWatermarkPredicates =
    StreamingSymmetricHashJoinHelper.JoinStateWatermarkPredicates

  type StatefulOpStateStoreCheckpointInfo = streaming.StatefulOpStateStoreCheckpointInfo
  val StatefulOpStateStoreCheckpointInfo: streaming.StatefulOpStateStoreCheckpointInfo.type =
    streaming.StatefulOpStateStoreCheckpointInfo

  def sumMetric(name: String, description: String): StatefulOperatorCustomMetric =
    streaming.StatefulOperatorCustomSumMetric(name, description)

  val NoCondition: JoinConditionSplitPredicates =
    StreamingSymmetricHashJoinHelper.JoinConditionSplitPredicates(None, None, None, None)

  val NoWatermarks: JoinStateWatermarkPredicates =
    StreamingSymmetricHashJoinHelper.JoinStateWatermarkPredicates()

  implicit final class ZippedWithState[T: ClassTag](rows: RDD[T])
      extends StreamingSymmetricHashJoinHelper.StateStoreAwareZipPartitionsHelper(rows)

  /** Of an operator of the user's own state, what its timers go by; None for other operators. */
  def timeMode(plan: LogicalPlan): Option[TimeMode] = plan match {
    case t: TransformWithState => Some(t.timeMode)
    case _ => None
  }

  /** In how many partitions the state of the query lies whose batch is planned: `spark.sql.shuffle.partitions` has it,
    * as the checkpoint says.
    */
  def statefulPartitions(conf: SQLConf): Option[Int] = Some(conf.numShufflePartitions)

  def broadcast(
      context: SparkContext,
      configuration: Configuration
  ): Broadcast[SerializableConfiguration] =
    context.broadcast(new SerializableConfiguration(configuration))

  /** This Spark accounts for memory that it manages only. */
  def account(name: String, bytes: () => Long): Unit = ()
}
