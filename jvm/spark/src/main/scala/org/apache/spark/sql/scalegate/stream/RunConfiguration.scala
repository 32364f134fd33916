package org.apache.spark.sql.scalegate.stream

import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.scalegate.SparkStreams
import org.apache.spark.util.SerializableConfiguration

import io.scalegate.spark.settings.BoundedMap

/** The Hadoop configuration of each run of a query, broadcast once and not for each batch: its thousand settings are
  * compressed one by one, which takes 10 to 30 ms, a tenth of a small batch.
  *
  * The driver asks for it when it plans a batch; any thread. It holds those of the runs that asked last, up to `Most`.
  * What is no longer held is broadcast again when its run asks again, and Spark cleans it up when no batch has it. A
  * Hadoop setting that is changed while a query runs counts from its next start.
  */
private[stream] object RunConfiguration {
  private[stream] val Most = 64

  private[this] val ofRuns = new BoundedMap[UUID, Broadcast[SerializableConfiguration]](Most)

  def apply(
      run: UUID,
      context: SparkContext,
      configuration: => Configuration
  ): Broadcast[SerializableConfiguration] = synchronized {
    ofRuns.computeIfAbsent(run, _ => SparkStreams.broadcast(context, configuration))
  }
}
