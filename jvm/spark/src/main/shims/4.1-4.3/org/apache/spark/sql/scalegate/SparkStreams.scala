package org.apache.spark.sql.scalegate

import scala.reflect.ClassTag

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.memory.{
  MemoryMode,
  UnifiedMemoryManager,
  UnmanagedMemoryConsumer,
  UnmanagedMemoryConsumerId
}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.plans.logical.{
  LogicalPlan,
  TransformWithState,
  TransformWithStateInPySpark
}
import org.apache.spark.sql.execution.streaming.{checkpointing, operators}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.TimeMode
import org.apache.spark.util.SerializableConfiguration

import operators.stateful.join.StreamingSymmetricHashJoinHelper

/** What Spark's releases have of streams under other names, or some of them only. */
object SparkStreams {
  type CheckpointFileManager = checkpointing.CheckpointFileManager
  val CheckpointFileManager: checkpointing.CheckpointFileManager.type =
    checkpointing.CheckpointFileManager

  type EventTimeStatsAccum = operators.stateful.EventTimeStatsAccum
  type EventTimeWatermarkExec = operators.stateful.EventTimeWatermarkExec
  type StateStoreWriter = operators.stateful.StateStoreWriter
  type StatefulOperatorCustomMetric = operators.stateful.StatefulOperatorCustomMetric
  type StatefulOperatorStateInfo = operators.stateful.StatefulOperatorStateInfo
  type StreamingSymmetricHashJoinExec = operators.stateful.join.StreamingSymmetricHashJoinExec
  type JoinConditionSplitPredicates =
    StreamingSymmetricHashJoinHelper.JoinConditionSplitPredicates
  type JoinStateWatermarkPredicates =
    StreamingSymmetricHashJoinHelper.JoinStateWatermarkPredicates

  type StatefulOpStateStoreCheckpointInfo =
    operators.stateful.StatefulOpStateStoreCheckpointInfo
  val StatefulOpStateStoreCheckpointInfo
      : operators.stateful.StatefulOpStateStoreCheckpointInfo.type =
    operators.stateful.StatefulOpStateStoreCheckpointInfo

  def sumMetric(name: String, description: String): StatefulOperatorCustomMetric =
    operators.stateful.StatefulOperatorCustomSumMetric(name, description)

  val NoCondition: JoinConditionSplitPredicates =
    StreamingSymmetricHashJoinHelper.JoinConditionSplitPredicates(None, None, None, None)

  val NoWatermarks: JoinStateWatermarkPredicates =
    StreamingSymmetricHashJoinHelper.JoinStateWatermarkPredicates()

  implicit final class ZippedWithState[T: ClassTag](rows: RDD[T])
      extends StreamingSymmetricHashJoinHelper.StateStoreAwareZipPartitionsHelper(rows)

  /** Of an operator of the user's own state, what its timers go by; None for other operators. */
  def timeMode(plan: LogicalPlan): Option[TimeMode] = plan match {
    case t: TransformWithState => Some(t.timeMode)
    case t: TransformWithStateInPySpark => Some(t.timeMode)
    case _ => None
  }

  /** In how many partitions the state of the query lies whose batch is planned, if a checkpoint says so. */
  def statefulPartitions(conf: SQLConf): Option[Int] =
    conf.getConf(SQLConf.STATEFUL_SHUFFLE_PARTITIONS_INTERNAL)

  def broadcast(
      context: SparkContext,
      configuration: Configuration
  ): Broadcast[SerializableConfiguration] =
    SerializableConfiguration.broadcast(context, configuration)

  /** Has Spark account for memory that it does not manage: with `spark.memory.unmanagedMemoryPollingInterval` set, its
    * tasks and caches get that much less.
    */
  def account(name: String, bytes: () => Long): Unit =
    UnifiedMemoryManager.registerUnmanagedMemoryConsumer(
      new UnmanagedMemoryConsumer {
        override def unmanagedMemoryConsumerId: UnmanagedMemoryConsumerId =
          UnmanagedMemoryConsumerId("ScaleGate", name)
        override def memoryMode: MemoryMode = MemoryMode.ON_HEAP
        override def getMemBytesUsed: Long = bytes()
      }
    )
}
