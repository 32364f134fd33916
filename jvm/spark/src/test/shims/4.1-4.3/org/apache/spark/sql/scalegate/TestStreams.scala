package org.apache.spark.sql.scalegate

import org.apache.spark.memory.UnifiedMemoryManager
import org.apache.spark.sql.execution.streaming.state.{StateStore, StateStoreProviderId}
import org.apache.spark.sql.execution.streaming.{checkpointing, runtime}
import org.apache.spark.sql.{Encoder, SparkSession}

/** What tests need of Spark's streams, which its releases have under other names. */
object TestStreams {
  type CancellableFSDataOutputStream =
    checkpointing.CheckpointFileManager.CancellableFSDataOutputStream
  type FileContextBasedCheckpointFileManager = checkpointing.FileContextBasedCheckpointFileManager
  type FileSystemBasedCheckpointFileManager = checkpointing.FileSystemBasedCheckpointFileManager
  type MemoryStream[A] = runtime.MemoryStream[A]
  type MicroBatchExecution = runtime.MicroBatchExecution
  type StreamingQueryWrapper = runtime.StreamingQueryWrapper

  def memoryStream[A](encoder: Encoder[A], session: SparkSession): MemoryStream[A] =
    runtime.MemoryStream(encoder, session)

  def unload(store: StateStoreProviderId): Unit =
    StateStore.removeFromLoadedProvidersAndClose(store)

  /** The bytes that Spark is told of memory that it does not manage; None where it does not ask. */
  def memoryTold(component: String): Option[Long] =
    Some(UnifiedMemoryManager.getMemoryByComponentType(component))
}
