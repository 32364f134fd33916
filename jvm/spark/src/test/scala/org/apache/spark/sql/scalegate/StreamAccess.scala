package org.apache.spark.sql.scalegate

import scala.collection.mutable

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.state.{
  StateStore,
  StateStoreProvider,
  StateStoreProviderId
}
import org.apache.spark.sql.scalegate.TestStreams.{MicroBatchExecution, StreamingQueryWrapper}
import org.apache.spark.sql.streaming.StreamingQuery

/** What tests need of Spark that Spark keeps to itself. */
object StreamAccess {

  /** Does something while no batch of the query begins, so that one sees all of it. */
  def betweenBatches(query: StreamingQuery)(action: => Unit): Unit =
    batchesOf(query).withProgressLocked(action)

  /** The plan of the last batch, as it was executed. */
  def lastPlan(query: StreamingQuery): SparkPlan = batchesOf(query).lastExecution.executedPlan

  /** Does at once what Spark does from time to time for the stores of a checkpoint: snapshots, and what is old goes. */
  def maintainStores(checkpoint: String): Unit =
    stores(checkpoint).foreach(_._2.doMaintenance())

  /** This process forgets the stores of a checkpoint. */
  def unloadStores(checkpoint: String): Unit = for ((id, _) <- stores(checkpoint))
    TestStreams.unload(id)

  private[this] def stores(checkpoint: String) = {
    val field = StateStore.getClass.getDeclaredField("loadedProviders")
    field.setAccessible(true)
    val all = field.get(StateStore)
      .asInstanceOf[mutable.HashMap[StateStoreProviderId, StateStoreProvider]]
    all.synchronized(all.toSeq)
      .filter(_._1.storeId.checkpointRootLocation.contains(checkpoint))
  }

  private[this] def batchesOf(query: StreamingQuery): MicroBatchExecution = query match {
    case wrapper: StreamingQueryWrapper =>
      wrapper.streamingQuery match {
        case batches: MicroBatchExecution => batches
        case other => throw new IllegalArgumentException(s"$other has no batches")
      }
    case other => throw new IllegalArgumentException(s"$other is not this process's own")
  }
}
