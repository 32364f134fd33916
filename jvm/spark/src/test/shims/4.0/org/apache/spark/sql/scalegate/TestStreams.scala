package org.apache.spark.sql.scalegate

import org.apache.spark.sql.{Encoder, SparkSession}
import org.apache.spark.sql.execution.streaming
import org.apache.spark.sql.execution.streaming.state.{StateStore, StateStoreProviderId}

/** What tests need of Spark's streams, which its releases have under other names. */
object TestStreams {
  type CancellableFSDataOutputStream =
    streaming.CheckpointFileManager.CancellableFSDataOutputStream
  type FileContextBasedCheckpointFileManager = streaming.FileContextBasedCheckpointFileManager
  type FileSystemBasedCheckpointFileManager = streaming.FileSystemBasedCheckpointFileManager
  type MemoryStream[A] = streaming.MemoryStream[A]
  type MicroBatchExecution = streaming.MicroBatchExecution
  type StreamingQueryWrapper = streaming.StreamingQueryWrapper

  def memoryStream[A](encoder: Encoder[A], session: SparkSession): MemoryStream[A] =
    streaming.MemoryStream[A](encoder, session.sqlContext)

  def unload(store: StateStoreProviderId): Unit = StateStore.unload(store)

  /** The bytes that Spark is told of memory that it does not manage; None where it does not ask. */
  def memoryTold(component: String): Option[Long] = None
}
